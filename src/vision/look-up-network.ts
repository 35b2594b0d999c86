import type { ModelId } from '../inference/engine.ts'

/**
 * What a registry of one task has for a network.
 * @param task what the networks of the registry do, for the error
 * @throws {TypeError} for a network that does something else
 */
export function lookUpNetwork<Entry>(
  registry: Readonly<Record<ModelId, Entry>>,
  model: ModelId,
  task: string,
): Entry {
  const entry = Object.hasOwn(registry, model) ? registry[model] : undefined
  if (entry === undefined) throw new TypeError(`the network ${model} does not ${task}`)
  return entry
}
