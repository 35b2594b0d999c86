/** Engines of servers and tools. */

import type { Engine } from '../inference/engine.ts'
import {
  type AssignedNetworks,
  assignNetworks,
  type EngineChoice,
  openEngine,
} from '../inference/open-engine.ts'
import type { ModelFiles, OrtRuntime } from '../inference/ort-engine.ts'
import { handOverModule } from '../inference/ort-module.ts'
import type { PlanOptions } from '../inference/own/make-plan.ts'
import { compileInferenceKernel, explainMissingOrt } from './server-wasm.ts'

/**
 * Loads the ONNX runtime for one thread.
 * @param compiled its module; without it the runtime compiles its own
 */
export async function loadOrt(compiled?: WebAssembly.Module): Promise<OrtRuntime> {
  const ort = await import('onnxruntime-web').catch(explainMissingOrt)
  if (compiled) handOverModule(ort.env.wasm, compiled)
  ort.env.wasm.numThreads = 1
  return ort
}

/** Opens an engine in this thread, for tools. */
export async function openLocalEngine(
  files: ModelFiles,
  choice: EngineChoice,
  options?: PlanOptions,
): Promise<Engine> {
  const kernel = await compileInferenceKernel()
  return openEngine(assignNetworks(files, choice, options), { kernel, loadOrt })
}

/** Copies bytes into shared memory, so that all workers read the same copy. */
function toShared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** The same networks with their bytes in shared memory, so that the start of a worker copies no message. */
export const shareNetworks = ({ plans, files }: AssignedNetworks): AssignedNetworks => ({
  plans: new Map([...plans].map(([id, plan]) => [id, { ...plan, constants: toShared(plan.constants) }])),
  files: new Map([...files].map(([id, bytes]) => [id, toShared(bytes)])),
})
