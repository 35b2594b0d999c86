/** Hostile files: those of `TEST_DATA_DIR`, and good pictures with random damage. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { manLarge } from '../../test/fixtures/packages.ts'
import { ramp, writePng } from '../../test/fixtures/pictures.ts'
import { portrait } from '../../test/fixtures/portraits.ts'
import { hasTestData, testDataDir } from '../../test/fixtures/test-data.ts'

interface HostileFile {
  name: string
  bytes: Uint8Array
}

/** A repeatable source of numbers 0…1 (xorshift, Marsaglia 2003). */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Cuts a file short or changes up to twenty bytes of it, mostly near its start, where the headers are. */
export function broken(bytes: Uint8Array, random: () => number): Uint8Array {
  if (random() < 0.3) return bytes.slice(0, Math.floor(random() * bytes.length))
  const copy = bytes.slice()
  const reach = random() < 0.5 ? Math.min(1000, copy.length) : copy.length
  for (let changes = 1 + Math.floor(random() * 20); changes > 0; changes--)
    copy[Math.floor(random() * reach)] = Math.floor(random() * 256)
  return copy
}

export async function folderFiles(): Promise<HostileFile[]> {
  if (!hasTestData) return []
  const folder = path.join(testDataDir, 'bad')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.md') && !entry.name.endsWith('.csv'))
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name)
        return { name: path.relative(folder, file), bytes: new Uint8Array(await readFile(file)) }
      }),
  )
}

/** @param count how many broken pictures join the files of the folder */
export async function hostileFiles(count: number): Promise<HostileFile[]> {
  const seeds = [await portrait('redhead'), await manLarge(), writePng(ramp(200, 100), 'palette')]
  const random = generator(20261120)
  const made = Array.from({ length: count }, (_, i) => ({
    name: `broken ${i}`,
    bytes: broken(seeds[i % seeds.length]!, random),
  }))
  return [...(await folderFiles()), ...made]
}
