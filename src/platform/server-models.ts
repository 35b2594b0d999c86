/** Where servers and tools keep the networks, and how they come by them. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Manifest } from '../inference/manifest.ts'
import type { Settings } from '../settings.ts'
import { ensureModels, type ReadyModels } from './ensure-models.ts'

/** Folder of the manifest. */
export const modelsFolder = fileURLToPath(new URL('../../models/', import.meta.url))

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(modelsFolder, 'manifest.json'), 'utf8')) as Manifest
}

export const builtModelsFolder = (settings: Settings): string =>
  settings.modelsDir === '' ? path.join(modelsFolder, 'built') : settings.modelsDir

/** A starting server may wait this long for files from outside, a tool that is asked for them longer. */
const serverPullMs = 5_000
const toolPullMs = 120_000

interface ModelsWanted {
  /** Whether pulling files may take its time. */
  patient?: boolean
  /** Decide anew what profile `auto` means. */
  redecide?: boolean
  onProgress?: (line: string) => void
}

/**
 * The networks of the profile that the settings ask for, what was missing built.
 * @throws {Error} when they cannot be had
 */
export async function openModels(
  settings: Settings,
  { patient = false, redecide = false, onProgress = () => {} }: ModelsWanted = {},
): Promise<ReadyModels & { manifest: Manifest }> {
  const manifest = await readManifest()
  const ready = await ensureModels({
    manifest,
    repository: modelsFolder,
    modelsDir: builtModelsFolder(settings),
    profile: settings.modelProfile,
    origin: settings.modelOrigin,
    mirror: settings.modelsMirror,
    redecide,
    pullTimeoutMs: patient ? toolPullMs : serverPullMs,
    onProgress,
  })
  return { manifest, ...ready }
}
