import { AppError } from '../errors.ts'
import type { ModelId } from './engine.ts'
import { makePlan, type PlanOptions } from './own/make-plan.ts'
import type { Plan } from './own/plan.ts'
import { UnsupportedNetwork } from './own/unsupported-network.ts'

/** ONNX files by model id. */
export type ModelFiles = ReadonlyMap<ModelId, Uint8Array>

/** How our engine runs each network. Plain data, which can be sent to worker threads. */
export type Plans = ReadonlyMap<ModelId, Plan>

/** @throws {AppError} `engine_unavailable` if our engine cannot run a network */
export function planNetworks(files: ModelFiles, options: PlanOptions = { quantised: true }): Plans {
  const plan = (model: ModelId, bytes: Uint8Array): Plan => {
    try {
      return makePlan(bytes, options)
    } catch (cause) {
      if (!(cause instanceof UnsupportedNetwork)) throw cause
      throw new AppError('engine_unavailable', `our engine cannot run ${model}: ${cause.message}`, { cause })
    }
  }
  return new Map([...files].map(([model, bytes]) => [model, plan(model, bytes)]))
}
