import type { ModelId } from '../inference/engine.ts'

/**
 * Returns the entry of a network in the registry of one task.
 * @param task what the networks of the registry do, for the error message
 * @throws {TypeError} if the registry has no entry for the network
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
