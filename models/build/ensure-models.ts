/** Makes sure that the networks of a profile are there and are what the manifest says, building what is missing. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as ort from '#ort'
import type { ModelId } from '../../src/inference/engine.ts'
import {
  type Manifest,
  type ModelEntry,
  type ProfileName,
  profileModels,
} from '../../src/inference/manifest.ts'
import { openOrtEngine } from '../../src/inference/ort-engine.ts'
import { converters } from './convert.ts'
import { checkGolden } from './golden.ts'
import { readSource, sha256 } from './sources.ts'

export interface EnsureOptions {
  manifest: Manifest
  /** Folder of the manifest. */
  repository: string
  /** Where built networks are kept. */
  modelsDir: string
  profile: ProfileName | 'auto'
  /** Directory or base URL that is tried before the public addresses; empty for none. */
  mirror: string
  /** Decide anew what `auto` means, whatever was decided before. */
  decideAnew: boolean
  /** How long all pulling of files together may take. */
  pullTimeoutMs: number
  onProgress: (line: string) => void
}

/** The networks of the profile that was settled on, checked. */
export interface ReadyModels {
  profile: ProfileName
  files: Map<ModelId, Uint8Array>
  cohort: Uint8Array
}

const recordFile = 'profile.json'

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function readBuilt(entry: ModelEntry, modelsDir: string): Promise<Uint8Array | null> {
  const bytes = await readFile(path.join(modelsDir, entry.file)).catch(() => null)
  return bytes && entry.built.includes(sha256(bytes)) ? new Uint8Array(bytes) : null
}

/** Several processes may build at once: a file appears under its name only when it is whole. */
async function writeWhole(file: string, bytes: Uint8Array | string): Promise<void> {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await writeFile(draft, bytes)
  await rename(draft, file)
}

async function build(entry: ModelEntry, options: EnsureOptions, signal: AbortSignal): Promise<Uint8Array> {
  const failures: string[] = []
  for (const source of entry.sources) {
    try {
      const { files, origin } = await readSource(source, { ...options, signal })
      const bytes = converters[source.convert](files)
      const hash = sha256(bytes)
      if (!entry.built.includes(hash)) throw new Error(`the built file has the unexpected sha256 ${hash}`)
      const engine = await openOrtEngine(ort, new Map([[entry.id, bytes]]))
      await checkGolden(engine, entry)
      options.onProgress(
        `${entry.id}: built from ${origin}, ${Math.round(bytes.length / 1024)} kB, answers as it must`,
      )
      return bytes
    } catch (error) {
      failures.push(reason(error))
    }
  }
  throw new Error(`model ${entry.id} cannot be had: ${failures.join('; ')}`)
}

async function ensureProfile(profile: ProfileName, options: EnsureOptions): Promise<ReadyModels> {
  const { manifest, repository, modelsDir } = options
  await mkdir(modelsDir, { recursive: true })
  const signal = AbortSignal.timeout(options.pullTimeoutMs)
  const files = new Map<ModelId, Uint8Array>()
  for (const entry of profileModels(manifest, profile)) {
    let bytes = await readBuilt(entry, modelsDir)
    if (!bytes) {
      bytes = await build(entry, options, signal)
      await writeWhole(path.join(modelsDir, entry.file), bytes)
    }
    files.set(entry.id, bytes)
  }
  const cohort = new Uint8Array(await readFile(path.join(repository, manifest.cohort.file)))
  if (sha256(cohort) !== manifest.cohort.sha256)
    throw new Error(`${manifest.cohort.file} has an unexpected sha256`)
  return { profile, files, cohort }
}

async function readDecision(modelsDir: string): Promise<ProfileName | null> {
  try {
    const { profile } = JSON.parse(await readFile(path.join(modelsDir, recordFile), 'utf8')) as {
      profile?: unknown
    }
    return profile === 'standard' || profile === 'embedded' ? profile : null
  } catch {
    return null
  }
}

/**
 * @throws {Error} when a network of the profile asked for is missing and cannot be built, or has a wrong hash. `auto` is
 *   decided once: `standard` where its networks can be had in time, else `embedded`. The decision is kept beside the
 *   networks, so that a server does not change its answers between two starts.
 */
export async function ensureModels(options: EnsureOptions): Promise<ReadyModels> {
  if (options.profile !== 'auto') return ensureProfile(options.profile, options)
  const decided = options.decideAnew ? null : await readDecision(options.modelsDir)
  if (decided) return ensureProfile(decided, options)
  const ready = await ensureProfile('standard', options).catch((error: unknown) => {
    options.onProgress(`profile standard is not to be had (${reason(error)}); taking embedded`)
    return ensureProfile('embedded', options)
  })
  await writeWhole(
    path.join(options.modelsDir, recordFile),
    `${JSON.stringify({ profile: ready.profile })}\n`,
  )
  return ready
}
