import type { Engine, ModelId } from './engine.ts'

/**
 * An engine whose networks are opened when they are first run, for networks that few media need. An opening that failed is tried
 * again by the next run.
 * @param open opens an engine that runs this network
 */
export function openLazyEngine(open: (model: ModelId) => Promise<Engine>): Engine {
  const engines = new Map<ModelId, Promise<Engine>>()

  function opened(model: ModelId): Promise<Engine> {
    const known = engines.get(model)
    if (known) return known
    const engine = open(model)
    engines.set(model, engine)
    engine.catch(() => engines.delete(model))
    return engine
  }

  return { run: async (model, image) => (await opened(model)).run(model, image) }
}
