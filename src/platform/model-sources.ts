/** Reads the source files of a model: from installed packages, this repository, a mirror, or the public address. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { ModelSource } from '../inference/manifest.ts'
import { sha256 } from './hash.ts'

interface SourceOptions {
  /** Folder of the manifest. */
  repository: string
  /** Directory or base URL that is tried before the public addresses; empty for none. */
  mirror: string
  /** Whether to download files, or to use only files on this machine. */
  reach: 'anywhere' | 'here'
  /** Aborts downloads. */
  signal: AbortSignal
}

function verify(bytes: Uint8Array, expected: string, origin: string): Uint8Array {
  const actual = sha256(bytes)
  if (actual !== expected) throw new Error(`${origin} has sha256 ${actual}, expected ${expected}`)
  return bytes
}

/** Path of a file in an installed package, wherever the package manager installed it. */
function findPackageFile(name: string, file: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = folders
    .map((folder) => path.join(folder, name, file))
    .find((candidate) => existsSync(candidate))
  if (!found) throw new Error(`${file} of the package ${name} is not installed`)
  return found
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

async function pull(
  address: string,
  { reach, signal }: Pick<SourceOptions, 'reach' | 'signal'>,
): Promise<Uint8Array> {
  if (reach === 'here') throw new Error(`${address} is not asked again`)
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`${address} answers ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

function readFromMirror(file: string, { mirror, ...options }: SourceOptions): Promise<Uint8Array> {
  if (mirror === '') throw new Error('no mirror is set')
  return isAddress(mirror)
    ? pull(`${mirror.replace(/\/$/, '')}/${file}`, options)
    : readFile(path.join(mirror, file))
}

/**
 * @returns the files of the source in the order of the manifest, and their origin
 * @throws {Error} if a file is missing or has a wrong hash
 */
export async function readSource(
  source: ModelSource,
  options: SourceOptions,
): Promise<{ files: Uint8Array[]; origin: string }> {
  if (source.kind === 'package') {
    const files = source.files.map(async ({ path: file, sha256: hash }) =>
      verify(await readFile(findPackageFile(source.package, file)), hash, `${source.package}/${file}`),
    )
    return { files: await Promise.all(files), origin: source.package }
  }
  const { path: file, sha256: hash } = source.file
  if (source.kind === 'repository') {
    return {
      files: [verify(await readFile(path.join(options.repository, file)), hash, file)],
      origin: 'repository',
    }
  }
  try {
    return {
      files: [verify(await readFromMirror(file, options), hash, `mirror/${file}`)],
      origin: `mirror/${file}`,
    }
  } catch (error) {
    if (source.kind === 'mirror') throw error
    return { files: [verify(await pull(source.url, options), hash, source.url)], origin: source.url }
  }
}
