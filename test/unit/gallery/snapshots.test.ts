import { beforeAll, describe, expect, it } from 'vitest'
import type { NormalizedTemplate } from '../../../src/decide/comparison.ts'
import { Gallery } from '../../../src/gallery/gallery.ts'
import { readSnapshot, writeSnapshot } from '../../../src/gallery/snapshot.ts'
import { calmRefreshes, snapshotMin } from '../../../src/gallery/snapshot-manager.ts'
import { blockBytes, bytesFor, TemplateIndex } from '../../../src/gallery/template-index.ts'
import {
  anyPoint,
  bruteForce,
  generator,
  MemorySnapshots,
  MemorySource,
  searchIn,
  templateNear,
  testKernel,
} from '../../fixtures/gallery.ts'
import { templateLength } from '../../fixtures/templates.ts'

let kernel: WebAssembly.Module
beforeAll(async () => {
  kernel = await testKernel()
})

const noPause = async () => {}
const probe: NormalizedTemplate = templateNear(anyPoint(generator(1)), 0.04, generator(2))

/** Enough templates for a snapshot; many are identical, which makes them cheap to create. */
function fill(source: MemorySource, collectionId: string, count = snapshotMin + 10): void {
  const random = generator(count)
  const few = Array.from({ length: 300 }, () => templateNear(anyPoint(random), 0.1, random))
  source.create(collectionId)
  for (let i = 0; i < count; i++) source.enrol(collectionId, `person ${i}`, few[i % few.length]!)
}

function openGallery(source: MemorySource, snapshots: MemorySnapshots, models = 'models') {
  const troubles: unknown[] = []
  const gallery = new Gallery({
    templateLength,
    source,
    kernel,
    snapshots,
    models,
    memoryMaxBytes: bytesFor(2 * snapshotMin, templateLength),
    scanMax: 100,
    pause: noPause,
    nowMs: () => Date.now(),
    onNoMemory: () => {},
    onError: (error) => troubles.push(error),
  })
  const calmDown = async () => {
    for (let look = 0; look <= calmRefreshes; look++) await gallery.refresh()
  }
  return { gallery, troubles, calmDown }
}

/** A collection with a stored snapshot. */
async function kept() {
  const source = new MemorySource()
  const snapshots = new MemorySnapshots()
  fill(source, 'c')
  const opened = openGallery(source, snapshots)
  await searchIn(opened.gallery, 'c', probe, 5)
  await opened.calmDown()
  expect([...snapshots.files.keys()]).toEqual(['c'])
  return { source, snapshots, ...opened }
}

/** Number of rows that a new process reads from the source for a search; also checks the result. */
async function rowsToStart(source: MemorySource, snapshots: MemorySnapshots, models?: string) {
  const { gallery } = openGallery(source, snapshots, models)
  source.rows = 0
  expect(await searchIn(gallery, 'c', probe, 5)).toEqual(bruteForce(source.templates('c'), probe, 5))
  return source.rows
}

describe('a snapshot', () => {
  it('that can neither be read nor removed stops no search', async () => {
    const { source, snapshots } = await kept()
    snapshots.read = () => Promise.reject(new Error('a folder'))
    snapshots.failure = new Error('immutable')
    const { gallery, troubles } = openGallery(source, snapshots)
    expect(await searchIn(gallery, 'c', probe, 5)).toEqual(bruteForce(source.templates('c'), probe, 5))
    await gallery.refresh()
    expect(troubles).toEqual([new Error('immutable')])
  })

  it('that cannot be removed, or read, keeps no other one', async () => {
    const source = new MemorySource()
    const snapshots = new MemorySnapshots()
    for (const id of ['stuck', 'unread', 'gone', 'last']) snapshots.files.set(id, Uint8Array.of(1))
    const { remove, read } = snapshots
    const isGone = new Set<string>()
    snapshots.remove = async (id) => {
      if (id === 'stuck' && !isGone.has(id)) throw new Error('immutable')
      await remove.call(snapshots, id)
    }
    snapshots.read = async (id) => {
      if (id === 'unread') throw new Error('a folder')
      return read.call(snapshots, id)
    }
    const { gallery, troubles } = openGallery(source, snapshots)
    await gallery.refresh()
    expect([[...snapshots.files.keys()], troubles]).toEqual([['stuck'], [new Error('immutable')]])
    isGone.add('stuck')
    await gallery.refresh()
    expect([[...snapshots.files.keys()], troubles.length]).toEqual([[], 1])
  })

  it('saves a new process from reading the templates', async () => {
    const { source, snapshots } = await kept()
    expect(await rowsToStart(source, snapshots)).toBeLessThan(1000)
    source.enrol('c', 'new', probe)
    source.remove('c', source.templates('c')[0]!.number)
    expect(await rowsToStart(source, snapshots)).toBeLessThan(1000)
  })

  it('is written after some refreshes without changes, and not for small collections', async () => {
    const source = new MemorySource()
    const snapshots = new MemorySnapshots()
    fill(source, 'c')
    fill(source, 'small', 500)
    const { gallery, calmDown } = openGallery(source, snapshots)
    await searchIn(gallery, 'small', probe, 1)
    for (let look = 0; look < 3 * calmRefreshes; look++) {
      source.enrol('c', `new ${look}`, probe)
      await searchIn(gallery, 'c', probe, 1)
      await gallery.refresh()
    }
    expect(snapshots.files.size).toBe(0)
    await calmDown()
    expect([...snapshots.files.keys()]).toEqual(['c'])
    const first = snapshots.files.get('c')
    source.enrol('c', 'one more', probe)
    await calmDown()
    expect(snapshots.files.get('c')).toBe(first)
    for (let i = 0; i < snapshotMin / 10; i++) source.enrol('c', `many ${i}`, probe)
    await calmDown()
    expect(snapshots.files.get('c')).not.toBe(first)
    expect(await rowsToStart(source, snapshots)).toBeLessThan(snapshotMin / 2)
  })

  it.each([
    ['truncated', (bytes: Uint8Array) => bytes.subarray(0, -1)],
    ['empty', () => new Uint8Array()],
    ['damaged in its header', (bytes: Uint8Array) => flipped(bytes, 60)],
    ['damaged in its watermarks', (bytes: Uint8Array) => flipped(bytes, 17)],
    [
      'damaged in a block',
      (bytes: Uint8Array) => flipped(bytes, bytes.length - blockBytes(templateLength) + 5),
    ],
    ['of another version', (bytes: Uint8Array) => flipped(bytes, 4)],
    ['something else', () => new Uint8Array(5000).fill(7)],
  ])('that is %s is not used, and removed', async (_what, damage) => {
    const { source, snapshots } = await kept()
    snapshots.files.set('c', damage(snapshots.files.get('c')!))
    expect(await rowsToStart(source, snapshots)).toBeGreaterThan(snapshotMin)
    expect(snapshots.files.size).toBe(0)
  })

  it('of other models or of another collection is removed without being used', async () => {
    const { source, snapshots } = await kept()
    fill(source, 'd')
    snapshots.files.set('d', snapshots.files.get('c')!)
    const { gallery } = openGallery(source, snapshots)
    await gallery.refresh()
    expect([...snapshots.files.keys()]).toEqual(['c'])
    expect(await rowsToStart(source, snapshots, 'other models')).toBeGreaterThan(snapshotMin)
    expect(snapshots.files.size).toBe(0)
  })

  it('that is newer than a database restored from a backup is not used', async () => {
    const { snapshots } = await kept()
    const earlier = new MemorySource()
    fill(earlier, 'c', snapshotMin)
    // A number that the snapshot counts as known.
    earlier.enrol('c', 'late', probe)
    expect(await rowsToStart(earlier, snapshots)).toBeGreaterThan(snapshotMin)
    expect(snapshots.files.size).toBe(0)
  })

  it('that has missed removals is not used', async () => {
    const { source, snapshots } = await kept()
    source.remove('c', source.templates('c')[0]!.number)
    source.purge('c')
    expect(await rowsToStart(source, snapshots)).toBeGreaterThan(snapshotMin)
    expect(snapshots.files.size).toBe(0)
  })
})

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at]! ^= 64
  return copy
}

describe('a removal', () => {
  it('deletes the snapshot; another one is written later', async () => {
    const { source, snapshots, gallery, calmDown } = await kept()
    const [best] = await searchIn(gallery, 'c', probe, 1)
    source.remove('c', best!.number)
    await gallery.refresh()
    expect(snapshots.files.size).toBe(0)
    await calmDown()
    expect(snapshots.files.size).toBe(1)
    expect(await rowsToStart(source, snapshots)).toBeLessThan(1000)
  })

  it('deletes the snapshot even if the index is not in memory', async () => {
    const { source, snapshots, gallery } = await kept()
    fill(source, 'd', 1.8 * snapshotMin)
    await searchIn(gallery, 'd', probe, 1)
    await gallery.refresh()
    expect([...snapshots.files.keys()]).toEqual(['c'])
    source.remove('c', source.templates('c')[5]!.number)
    await gallery.refresh()
    expect(snapshots.files.size).toBe(0)
  })

  it('deletes the snapshot even if another process wrote it', async () => {
    const { source, snapshots } = await kept()
    const { gallery } = openGallery(source, snapshots)
    await gallery.refresh()
    expect(snapshots.files.size).toBe(1)
    source.remove('c', source.templates('c')[5]!.number)
    await gallery.refresh()
    expect(snapshots.files.size).toBe(0)
  })

  it('of a whole collection, here or elsewhere, leaves no snapshot', async () => {
    const here = await kept()
    here.source.drop('c')
    await here.gallery.forget('c')
    expect(here.snapshots.files.size).toBe(0)
    const elsewhere = await kept()
    elsewhere.source.drop('c')
    await elsewhere.gallery.refresh()
    expect(elsewhere.snapshots.files.size).toBe(0)
  })

  it('is retried if the disk fails', async () => {
    const { source, snapshots, gallery, troubles } = await kept()
    source.remove('c', source.templates('c')[5]!.number)
    snapshots.failure = new Error('the disk is away')
    await gallery.refresh()
    expect(snapshots.files.size).toBe(1)
    expect(troubles.length).toBeGreaterThan(0)
    snapshots.failure = null
    await gallery.refresh()
    expect(snapshots.files.size).toBe(0)
  })

  it('while a snapshot is written does not leave the template in it', async () => {
    const source = new MemorySource()
    const snapshots = new MemorySnapshots()
    fill(source, 'c')
    const { gallery, calmDown, troubles } = openGallery(source, snapshots)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    let parts = 0
    // The last part is being written: the file can only be removed afterwards.
    snapshots.between = async () => {
      if (++parts !== 8) return
      source.remove('c', best!.number)
      await searchIn(gallery, 'c', probe, 1)
    }
    await calmDown()
    expect(parts).toBe(8)
    expect(snapshots.files.size).toBe(0)
    expect(troubles).toEqual([])
    snapshots.between = async () => {}
    await calmDown()
    expect(snapshots.files.size).toBe(1)
    expect(await rowsToStart(source, snapshots)).toBeLessThan(1000)
  })

  it('while a snapshot is generated aborts it', async () => {
    const source = new MemorySource()
    const snapshots = new MemorySnapshots()
    fill(source, 'c')
    const { gallery, calmDown, troubles } = openGallery(source, snapshots)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    let parts = 0
    snapshots.between = async () => {
      if (++parts !== 4) return
      source.remove('c', best!.number)
      await searchIn(gallery, 'c', probe, 1)
    }
    await calmDown()
    expect(parts).toBe(4)
    expect(snapshots.files.size).toBe(0)
    expect(troubles).toHaveLength(1)
  })
})

describe('the snapshot format', () => {
  it('restores the complete index', async () => {
    const random = generator(3)
    const index = new TemplateIndex(kernel, anyPoint(random))
    for (let number = 1; number <= 20_000; number++)
      index.add(number, templateNear(probe.vector, 0.2, random))
    for (let number = 1; number < 9_000; number += 2) index.remove(number)
    const watermarks = { addedUpTo: 20_000, removedUpTo: 77 }
    const bytes = new Uint8Array(Buffer.concat([...writeSnapshot(index, 'key', watermarks)]))
    const read = readSnapshot(kernel, bytes, 'key')!
    expect(read.watermarks).toEqual(watermarks)
    expect(read.index.count).toBe(index.count)
    expect(read.index.bounds).toEqual(index.bounds)
    expect(read.index.centre).toHaveLength(templateLength)
    const nearest = await index.findNearest(probe, 500, noPause)
    expect(await read.index.findNearest(probe, 500, noPause)).toEqual(nearest)
    read.index.add(20_001, probe)
    expect((await read.index.findNearest(probe, 1, noPause)).numbers).toEqual([20_001])
  })
})
