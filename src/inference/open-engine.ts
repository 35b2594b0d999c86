import { AppError } from '../errors.ts'
import type { Engine, ModelId } from './engine.ts'
import { type ModelFiles, type OrtRuntime, openOrtEngine } from './ort-engine.ts'
import { makePlan, type PlanOptions } from './own/make-plan.ts'
import type { Plan } from './own/plan.ts'
import { UnsupportedNetwork } from './own/unsupported-network.ts'
import { openOwnEngine } from './own-engine.ts'

/** `auto`: our own engine, and the ONNX runtime for networks that it cannot run. */
export type EngineChoice = 'auto' | 'own' | 'onnxruntime'

/** Which engine runs which network. Plain data, which can be sent to worker threads. */
export interface AssignedNetworks {
  /** For our own engine. */
  plans: ReadonlyMap<ModelId, Plan>
  /** ONNX files for the ONNX runtime. */
  files: ModelFiles
}

/**
 * Assigns networks to engines, and makes the plans of our own.
 * @param files ONNX files
 * @throws {AppError} `engine_unavailable` if the choice is `own` and it cannot run a network
 */
export function assignNetworks(
  files: ModelFiles,
  choice: EngineChoice,
  options: PlanOptions = { quantised: true },
): AssignedNetworks {
  const plans = new Map<ModelId, Plan>()
  const others = new Map<ModelId, Uint8Array>()
  for (const [model, bytes] of files) {
    if (choice === 'onnxruntime') others.set(model, bytes)
    else {
      try {
        plans.set(model, makePlan(bytes, options))
      } catch (cause) {
        if (!(cause instanceof UnsupportedNetwork)) throw cause
        if (choice === 'own')
          throw new AppError('engine_unavailable', `our engine cannot run ${model}: ${cause.message}`, {
            cause,
          })
        others.set(model, bytes)
      }
    }
  }
  return { plans, files: others }
}

export interface EngineModules {
  /** Compiled from `wasm/inference`. */
  kernel: WebAssembly.Module
  /** Loads the ONNX runtime; asked only if a network needs it. */
  loadOrt: () => Promise<OrtRuntime>
}

/**
 * Opens an engine for one thread.
 * @throws {AppError} `engine_unavailable` if the ONNX runtime cannot load one of its networks
 */
export async function openEngine(
  { plans, files }: AssignedNetworks,
  modules: EngineModules,
): Promise<Engine> {
  const own = openOwnEngine(modules.kernel, plans)
  if (files.size === 0) return own
  const other = await openOrtEngine(await modules.loadOrt(), files)
  // Not the plans: the engine has their constants in its own memory.
  const ours = new Set(plans.keys())
  return { run: (model, image) => (ours.has(model) ? own : other).run(model, image) }
}
