import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GallerySnapshots } from '../../../src/gallery/source.ts'
import { galleryFiles } from '../../../src/platform/gallery-files.ts'

describe('snapshots as files', () => {
  let root: string
  let folder: string
  let snapshots: GallerySnapshots

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'vivace-gallery-'))
    folder = path.join(root, 'gallery')
    snapshots = galleryFiles(folder)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  it('are absent before the first is written', async () => {
    expect([await snapshots.list(), await snapshots.read('c')]).toEqual([[], null])
    await snapshots.remove('c')
  })

  it('are replaced atomically, listed, and absent after removal', async () => {
    await snapshots.write('c', [Uint8Array.of(1, 2), Uint8Array.of(3)])
    await snapshots.write('c', [Uint8Array.of(4), Uint8Array.of(5)])
    await snapshots.write('d', [])
    expect([...(await snapshots.read('c'))!]).toEqual([4, 5])
    expect((await snapshots.list()).sort()).toEqual(['c', 'd'])
    await snapshots.remove('c')
    expect([await snapshots.list(), await snapshots.read('c')]).toEqual([['d'], null])
  })

  it('are readable by their owner only', async () => {
    await snapshots.write('c', [Uint8Array.of(1)])
    const modes = await Promise.all([folder, path.join(folder, 'c.index')].map((name) => stat(name)))
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600])
  })

  it('stay unchanged if the new one cannot be generated', async () => {
    await snapshots.write('c', [Uint8Array.of(1)])
    const broken = new Error('the index changes')
    function* parts() {
      yield Uint8Array.of(2)
      throw broken
    }
    await expect(snapshots.write('c', parts())).rejects.toBe(broken)
    expect([...(await snapshots.read('c'))!]).toEqual([1])
    expect(await readdir(folder)).toEqual(['c.index'])
  })

  it('are listed although something half written cannot be removed, which goes with its collection', async () => {
    await snapshots.write('c', [Uint8Array.of(1)])
    // Not removable as a file, not even for the super-user.
    await mkdir(path.join(folder, 'd.index.part'))
    expect((await snapshots.list()).sort()).toEqual(['c', 'd'])
    await expect(snapshots.remove('d')).rejects.toThrow()
    await rm(path.join(folder, 'd.index.part'), { recursive: true })
    await snapshots.remove('d')
    expect(await snapshots.list()).toEqual(['c'])
  })

  it('ignore and remove files left half written by a crash', async () => {
    await mkdir(folder)
    await writeFile(path.join(folder, 'c.index.part'), 'half')
    expect(await snapshots.list()).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })
})
