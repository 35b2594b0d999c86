/** Networks of servers and tools that are opened when they are first run. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import type { Engine } from '../inference/engine.ts'
import { openLateEngine } from '../inference/late-engine.ts'
import type { ModelEntry } from '../inference/manifest.ts'
import { assignNetworks, type EngineChoice, openEngine } from '../inference/open-engine.ts'
import { sha256 } from './hash.ts'
import { loadOrt } from './server-engine.ts'

/** Plain data, which can be sent to worker threads. */
export interface LateNetworks {
  /** Folder of the built networks. */
  folder: string
  engine: EngineChoice
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
    const cause = new Error(`the file of model ${id} ${reason}: run "npm run models"`)
    return new AppError('internal', `model ${id} cannot be opened`, { cause })
  }
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${error.code})`)
  })
  if (!built.includes(sha256(bytes))) throw refuse('has an unexpected sha256')
  return new Uint8Array(bytes)
}

/**
 * Opens an engine that reads each network from its file when it is first run. Each has a memory of its own.
 * @param kernel of our inference engine
 */
export const openLateNetworks = (
  { folder, engine, entries }: LateNetworks,
  kernel: WebAssembly.Module,
): Engine =>
  openLateEngine(async (model) => {
    const entry = entries.find(({ id }) => id === model)
    if (!entry) throw new AppError('engine_unavailable', `model ${model} is not one of the late networks`)
    const bytes = await readVerified(path.join(folder, entry.file), entry)
    return openEngine(assignNetworks(new Map([[model, bytes]]), engine), { kernel, loadOrt: () => loadOrt() })
  })
