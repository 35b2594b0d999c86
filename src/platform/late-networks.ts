/** Networks of servers and tools that are opened when they are first run. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import type { Engine } from '../inference/engine.ts'
import { openLazyEngine } from '../inference/lazy-engine.ts'
import type { ModelEntry } from '../inference/manifest.ts'
import { openOwnEngine } from '../inference/own-engine.ts'
import { planNetworks } from '../inference/plan-networks.ts'
import { sha256 } from './hash.ts'
import { findYoungCollector } from './idle-collector.ts'
import { commandHere } from './installation.ts'

/** Plain data, which can be sent to worker threads. */
export interface LateNetworks {
  /** Folder of the built networks. */
  folder: string
  entries: readonly Pick<ModelEntry, 'id' | 'file' | 'built'>[]
}

/**
 * Neither the medium nor the worker is at fault if a file is missing or damaged, so neither is given up.
 * @throws {AppError} `internal`
 */
async function readVerified(
  file: string,
  { id, built }: LateNetworks['entries'][number],
): Promise<Uint8Array> {
  const refuse = (reason: string) => {
    const cause = new Error(`the file of model ${id} ${reason}: run ${commandHere('models')}`)
    return new AppError('internal', `model ${id} cannot be opened`, { cause })
  }
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${error.code})`)
  })
  const found = sha256(bytes)
  if (!built.includes(found)) throw refuse(`is damaged, or of another release (sha256 ${found})`)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Inputs and outputs after which garbage is collected: those of a page are 60 MB. */
const collectBytes = 16 * 2 ** 20

/** Collects garbage between the runs of an engine, so that inputs and outputs of many runs do not pile up. */
export function collectBetweenRuns(engine: Engine, collect = findYoungCollector()): Engine {
  let bytes = 0
  return {
    async run(model, image) {
      const outputs = await engine.run(model, image)
      for (const { data } of [image, ...Object.values(outputs)]) bytes += data.byteLength
      if (bytes >= collectBytes) {
        bytes = 0
        collect?.()
      }
      return outputs
    },
  }
}

/**
 * Opens an engine that reads each network from its file when it is first run. They share one memory.
 * @param kernel of our inference engine
 */
export function openLateNetworks({ folder, entries }: LateNetworks, kernel: WebAssembly.Module): Engine {
  const own = openOwnEngine(kernel)
  const late = openLazyEngine(async (model) => {
    const entry = entries.find(({ id }) => id === model)
    if (!entry) throw new AppError('engine_unavailable', `model ${model} is not one of the late networks`)
    const bytes = await readVerified(path.join(folder, entry.file), entry)
    for (const [id, plan] of planNetworks(new Map([[model, bytes]]))) own.add(id, plan)
    return own
  })
  return collectBetweenRuns(late)
}
