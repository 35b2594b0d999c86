import { AppError } from '../errors.ts'
import type { Engine, ModelId, Tensor } from './engine.ts'
import { openInferenceKernel } from './own/kernel.ts'
import type { Plan } from './own/plan.ts'
import { type LoadedPlan, runPlan } from './own/run-plan.ts'

/** The first address in use: 0 means "none" to the kernel. */
const firstAddress = 1024

/** Pictures of a batch, one by one. */
function* splitBatch({ data, shape: [count = 1, ...shape] }: Tensor): Generator<Tensor> {
  const length = data.length / count
  if (count < 1 || !Number.isInteger(length))
    throw new TypeError(`${data.length} values are not ${count} pictures`)
  for (let i = 0; i < count; i++)
    yield { data: data.subarray(i * length, (i + 1) * length), shape: [1, ...shape] }
}

/** Outputs of single pictures as those of a batch. */
function joinBatch(parts: readonly Record<string, Tensor>[]): Record<string, Tensor> {
  const [first = {}] = parts
  if (parts.length === 1) return first
  return Object.fromEntries(
    Object.entries(first).map(([name, { data, shape }]) => {
      const all = new Float32Array(data.length * parts.length)
      for (const [i, part] of parts.entries()) all.set(part[name]!.data, i * data.length)
      return [name, { data: all, shape: [parts.length, ...shape.slice(1)] }]
    }),
  )
}

/** Our own engine. */
interface OwnEngine extends Engine {
  /** Adds a network: its constants are copied, the memory for values is that of all networks. */
  add(model: ModelId, plan: Plan): void
}

/**
 * Opens our own engine: one WebAssembly module and one memory for all networks.
 * @param module compiled from `wasm/inference/kernel.wasm`
 */
export function openOwnEngine(
  module: WebAssembly.Module,
  plans: ReadonlyMap<ModelId, Plan> = new Map(),
): OwnEngine {
  const kernel = openInferenceKernel(module)
  const loaded = new Map<ModelId, LoadedPlan>()
  // Values lie behind all constants, and nothing is kept of them from one run to the next.
  let start = firstAddress
  const add = (model: ModelId, { constants, ...plan }: Plan): void => {
    kernel.reserve(start + constants.length)
    new Uint8Array(kernel.memory.buffer).set(constants, start)
    loaded.set(model, { plan, constants: start, arrangements: new Map() })
    start += (constants.length + 63) & ~63
  }
  for (const [model, plan] of plans) add(model, plan)
  return {
    add,
    run(model, image) {
      const plan = loaded.get(model)
      if (!plan)
        return Promise.reject(
          new AppError('engine_unavailable', `model ${model} is not part of this profile`),
        )
      try {
        const parts = [...splitBatch(image)].map((picture) => runPlan(kernel, plan, picture, start))
        return Promise.resolve(joinBatch(parts))
      } catch (cause) {
        return Promise.reject(new AppError('engine_unavailable', `model ${model} failed`, { cause }))
      }
    },
  }
}
