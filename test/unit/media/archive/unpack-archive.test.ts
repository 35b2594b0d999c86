/** Archives of callers: valid ones are unpacked, others are refused at a cost bounded by their central directory. */

import { deflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { AppError } from '../../../../src/errors.ts'
import { countFiles, unpackArchive } from '../../../../src/media/archive/unpack-archive.ts'
import type { ArchiveMedium } from '../../../../src/media/opened-medium.ts'
import { generator } from '../../../../tools/soak/hostile-files.ts'
import { type ForgedFile, forgeZip, sharedStreamBomb, zip } from '../../../fixtures/zip.ts'

/** As one whose directory was not read where it came in. */
const open = (bytes: Uint8Array): ArchiveMedium => ({
  kind: 'archive',
  format: 'application/zip',
  header: 'long',
  bytes,
})
const unpack = (bytes: Uint8Array) => unpackArchive(open(bytes))

/** Bytes that do not compress. */
function noise(length: number): Uint8Array {
  const random = generator(7)
  return Uint8Array.from({ length }, () => Math.floor(random() * 256))
}

function refusalOf(bytes: Uint8Array): string | null {
  try {
    unpack(bytes)
    return null
  } catch (error) {
    const { code, message } = error as AppError
    return `${code}: ${message}`
  }
}

const packed = (name: string, bytes: Uint8Array, change: Partial<ForgedFile> = {}): ForgedFile => ({
  name,
  packed: deflateSync(bytes),
  method: 8,
  claimedSize: bytes.length,
  ...change,
})

describe('a valid archive', () => {
  it.each([0, 6] as const)('packed at level %i is unpacked byte for byte', (level) => {
    const files = { 'a.jpg': noise(300_000), 'ü/b.jpg': new Uint8Array(0), 'c.jpg': noise(5) }
    const unpacked = unpack(zip(files, level))
    expect(Object.fromEntries(unpacked.map(({ name, bytes }) => [name, bytes]))).toEqual(files)
  })

  it('may have folders and system files, which are skipped', () => {
    const folders = ['shots/', 'more\\', '__MACOSX/']
    const files = ['__MACOSX/shots/._a.jpg', '._a.jpg', 'shots/.DS_Store', 'Thumbs.db', 'shots/desktop.ini']
    const all = [...folders, ...files, 'shots/a.jpg']
    const archive = zip(Object.fromEntries(all.map((name) => [name, noise(10)])))
    expect(unpack(archive).map(({ name }) => name)).toEqual(['shots/a.jpg'])
    expect(countFiles(open(archive))).toBe(1)
  })

  it('may have a comment and bytes before its end record', () => {
    const archive = zip({ 'a.jpg': noise(10) })
    const longer = new Uint8Array(archive.length + 300)
    longer.set(archive)
    expect(unpack(longer)).toHaveLength(1)
  })
})

describe('an archive is refused', () => {
  it('whose files share one stream, before inflating any of it', () => {
    const bomb = sharedStreamBomb()
    expect(bomb.length).toBeLessThan(100_000)
    expect(refusalOf(bomb)).toBe('media_unreadable: The archive has files that overlap')
  })

  it('whose stream is longer than declared, as soon as it exceeds the size', () => {
    const bomb = forgeZip([packed('a.jpg', new Uint8Array(16 * 2 ** 20), { claimedSize: 100 })])
    expect(refusalOf(bomb)).toBe(
      'media_unreadable: A file of the archive unpacks to more than the archive says',
    )
  })

  it.each<[string, () => Uint8Array, string]>([
    [
      'whose stream is shorter than declared',
      () => forgeZip([packed('a', noise(99), { claimedSize: 100 })]),
      'is damaged',
    ],
    [
      'whose stream ends early',
      () => forgeZip([packed('a', noise(9999), { packed: deflateSync(noise(9999)).slice(0, 4000) })]),
      'is damaged',
    ],
    [
      'whose stored file is shorter than it says',
      () => forgeZip([packed('a', noise(99), { method: 0, packed: noise(99), claimedSize: 100 })]),
      'is damaged',
    ],
    ['that is encrypted', () => forgeZip([packed('a', noise(99), { flags: 1 })]), 'is encrypted'],
    [
      'with a file that shrinks too much',
      () => zip({ 'a.jpg': new Uint8Array(2 ** 20) }, 6),
      'unpacks to too much',
    ],
    [
      'with too much in all',
      () =>
        forgeZip(Array.from({ length: 100 }, (_, i) => packed(`${i}`, noise(40_000), { claimedSize: 2e6 }))),
      'unpacks to too much',
    ],
    [
      'with two files of one name',
      () => forgeZip([packed('a', noise(9)), packed('a', noise(8))]),
      'has two files of one name',
    ],
    [
      'with too many files',
      () => zip(Object.fromEntries(Array.from({ length: 121 }, (_, i) => [`${i}`, noise(9)]))),
      'has more than 120 files',
    ],
    [
      'with folders without end',
      () => zip(Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${i}/`, noise(0)]))),
      'has more than 120 files',
    ],
    ['that is truncated', () => zip({ a: noise(9999) }).slice(0, 5000), 'is damaged'],
    ['that has only its first bytes', () => Uint8Array.of(0x50, 0x4b, 3, 4), 'is damaged'],
    [
      'with a name that traverses upwards',
      () => zip({ '../a': noise(9) }),
      'has a file name that leads elsewhere',
    ],
  ])('%s', (_, make, why) => {
    expect(refusalOf(make())).toBe(`media_unreadable: The archive ${why}`)
  })

  it('with an AppError, whichever byte is damaged', () => {
    const archive = zip({ 'a.jpg': noise(40), 'b.jpg': new Uint8Array(400) }, 6)
    for (let at = 0; at < archive.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const broken = archive.slice()
        broken[at]! ^= change
        expect(refusalOf(broken) ?? 'media_unreadable').toMatch(/^media_unreadable/)
      }
    }
  })
})
