/** Locates the networks of servers and tools, and builds missing ones. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Manifest, ModelEntry } from '../inference/manifest.ts'
import type { Settings } from '../settings.ts'
import { ensureModels, type FoundModels, inspectModels, type ReadyModels } from './ensure-models.ts'
import type { LateNetworks } from './late-networks.ts'

/** Folder of the manifest. */
export const modelsFolder = fileURLToPath(new URL('../../models/', import.meta.url))

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(modelsFolder, 'manifest.json'), 'utf8')) as Manifest
}

export const builtModelsFolder = (settings: Settings): string =>
  settings.modelsDir === '' ? path.join(modelsFolder, 'built') : settings.modelsDir

/** Networks that are read from the folder of the built ones when they are first run. */
export const lateNetworks = (settings: Settings, entries: readonly ModelEntry[]): LateNetworks => ({
  folder: builtModelsFolder(settings),
  entries: entries.map(({ id, file, built }) => ({ id, file, built })),
})

/** Time limits for downloads: short for a starting server, longer for a tool that is run to get them. */
const serverPullMs = 5_000
const toolPullMs = 120_000

interface ModelsWanted {
  /** Whether to use the longer time limit for downloads. */
  patient?: boolean
  /** Whether to choose the profile of `auto` again. */
  redecide?: boolean
  onProgress?: (line: string) => void
}

const readWanted = async (settings: Settings) => ({
  manifest: await readManifest(),
  repository: modelsFolder,
  modelsDir: builtModelsFolder(settings),
  profile: settings.modelProfile,
  origin: settings.modelOrigin,
})

/**
 * The networks of the profile in the settings; missing ones are built.
 * @throws {Error} if they are unavailable
 */
export async function openModels(
  settings: Settings,
  { patient = false, redecide = false, onProgress = () => {} }: ModelsWanted = {},
): Promise<ReadyModels & { manifest: Manifest }> {
  const wanted = await readWanted(settings)
  const ready = await ensureModels({
    ...wanted,
    mirror: settings.modelsMirror,
    redecide,
    pullTimeoutMs: patient ? toolPullMs : serverPullMs,
    onProgress,
  })
  return { manifest: wanted.manifest, ...ready }
}

/** What a start with the settings finds on this machine. */
export const findModels = async (settings: Settings): Promise<FoundModels> =>
  inspectModels(await readWanted(settings))
