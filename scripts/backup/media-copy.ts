/** Copies of stored media. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { writeSynced } from '../../src/platform/whole-file.ts'
import { isEncryptedHead } from '../../src/storage/encryption/envelope.ts'

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Two UUIDs, then what the file is; a part that is being written starts with a dot. */
const keyForm = /^[0-9a-f-]{36}\/[0-9a-f-]{36}[\w-]*(?:\.\w+)*$/

/** Names of all files in a folder and its folders, with slashes; of none if there is no such folder. */
export async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const names: string[] = []
  for (const entry of entries) {
    const below = entry.isDirectory() ? await readdir(path.join(root, entry.name)).catch(() => []) : null
    if (below) names.push(...below.map((name) => `${entry.name}/${name}`))
    else names.push(entry.name)
  }
  return names
}

const listKeys = async (root: string): Promise<string[]> =>
  (await listFiles(root)).filter((name) => keyForm.test(name))

interface Copied {
  /** What tells one state of the source from another. */
  state: string
  sha256: string
  bytes: number
  isEncrypted: boolean
}

/** A copy of a media folder that follows its source. */
export class MediaCopy {
  readonly #source: string
  readonly #target: string
  readonly #copied = new Map<string, Copied>()

  constructor(source: string, target: string) {
    this.#source = source
    this.#target = target
  }

  get copied(): ReadonlyMap<string, Readonly<Copied>> {
    return this.#copied
  }

  /** Copies what is new or has changed. A file that is removed meanwhile is skipped. */
  async follow(onProgress: (done: number, all: number) => void): Promise<void> {
    const keys = await listKeys(this.#source)
    for (const [place, key] of keys.entries()) {
      await this.#copy(key).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
      onProgress(place + 1, keys.length)
    }
  }

  /** Removes the copies of all files but some. */
  async keepOnly(kept: ReadonlySet<string>): Promise<void> {
    for (const key of [...this.#copied.keys()].filter((name) => !kept.has(name))) {
      await rm(path.join(this.#target, key), { force: true })
      this.#copied.delete(key)
    }
  }

  async #copy(key: string): Promise<void> {
    const from = path.join(this.#source, key)
    const { mtimeMs, size, ino } = await stat(from)
    const state = `${mtimeMs} ${size} ${ino}`
    if (this.#copied.get(key)?.state === state) return
    const bytes = await readFile(from)
    const to = path.join(this.#target, key)
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
    await writeSynced(to, bytes, { mode: 0o600, flag: 'w' })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.#copied.set(key, { state, sha256, bytes: bytes.length, isEncrypted: isEncryptedHead(bytes) })
  }
}
