/** Engines of servers and tools. */
import type { Engine } from '../inference/engine.ts'
import type { PlanOptions } from '../inference/own/make-plan.ts'
import { openOwnEngine } from '../inference/own-engine.ts'
import { type ModelFiles, type Plans, planNetworks } from '../inference/plan-networks.ts'
import { compileInferenceKernel } from './server-wasm.ts'

/** Opens an engine in this thread, for tools. */
export const openLocalEngine = async (files: ModelFiles, options?: PlanOptions): Promise<Engine> =>
  openOwnEngine(await compileInferenceKernel(), planNetworks(files, options))

/** Copies bytes into shared memory, so that all workers read the same copy. */
function toShared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** The same plans with their constants in shared memory, so that the start of a worker copies no message. */
export const sharePlans = (plans: Plans): Plans =>
  new Map([...plans].map(([id, plan]) => [id, { ...plan, constants: toShared(plan.constants) }]))
