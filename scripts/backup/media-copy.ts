/** Copies of stored media. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Two UUIDs, then what the file is; a part that is being written starts with a dot. */
const keyForm = /^[0-9a-f-]{36}\/[0-9a-f-]{36}[\w-]*(?:\.\w+)*$/

/** Names of all stored files below a folder, with slashes. */
export async function listKeys(root: string): Promise<string[]> {
  const folders = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const keys: string[] = []
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    const names = await readdir(path.join(root, folder.name)).catch(() => [])
    for (const name of names) keys.push(`${folder.name}/${name}`)
  }
  return keys.filter((key) => keyForm.test(key))
}

interface Copied {
  /** What tells one state of the source from another. */
  state: string
  sha256: string
  bytes: number
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
    await writeFile(to, bytes, { mode: 0o600 })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.#copied.set(key, { state, sha256, bytes: bytes.length })
  }
}
