import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { NormalizedTemplate } from '../../../src/decide/comparison.ts'
import { Gallery, type GalleryDeps } from '../../../src/gallery/gallery.ts'
import { blockRows, bytesFor } from '../../../src/gallery/template-index.ts'
import {
  anyPoint,
  bruteForce,
  generator,
  MemorySource,
  type SourceCall,
  searchIn,
  templateNear,
  testKernel,
} from '../../fixtures/gallery.ts'
import { templateLength } from '../../fixtures/templates.ts'

let kernel: WebAssembly.Module
beforeAll(async () => {
  kernel = await testKernel()
})

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

function openGallery(source: MemorySource, parts: Partial<GalleryDeps> = {}) {
  const noMemory: { templates: number; bytes: number }[] = []
  const troubles: unknown[] = []
  const gallery = new Gallery({
    templateLength,
    source,
    kernel,
    snapshots: null,
    models: 'model cohort',
    memoryMaxBytes: 1e8,
    scanMax: 100,
    pause: nextTurn,
    nowMs: () => Date.now(),
    onNoMemory: (facts) => noMemory.push(facts),
    onError: (error) => troubles.push(error),
    ...parts,
  })
  return { gallery, noMemory, troubles }
}

/** Enrols people with two templates each, around individual points. */
function people(source: MemorySource, collectionId: string, count: number, seed = count): Float32Array[] {
  const random = generator(seed)
  source.create(collectionId)
  const points = Array.from({ length: count }, () => anyPoint(random))
  for (let round = 0; round < 2; round++) {
    for (const [i, point] of points.entries())
      source.enrol(collectionId, `person ${i}`, templateNear(point, 0.04, random))
  }
  return points
}

const probeOf = (point: Float32Array, seed = 1): NormalizedTemplate =>
  templateNear(point, 0.04, generator(seed))

/** Runs something once, after a given number of calls. */
function at(source: MemorySource, call: SourceCall, time: number, act: () => void | Promise<void>): void {
  let times = 0
  source.before = async (made) => {
    if (made === call && ++times === time) await act()
  }
}

describe('Gallery.search', () => {
  it.each([1, 20, 50, 51, 600, 2500])(
    'among %i people finds whom a comparison with all finds',
    async (count) => {
      const source = new MemorySource()
      const points = people(source, 'c', count)
      const { gallery } = openGallery(source)
      for (const countMax of [1, 3, 10, 40]) {
        for (const point of [points[0]!, points.at(-1)!, anyPoint(generator(9))]) {
          const probe = probeOf(point, countMax)
          const expected = bruteForce(source.templates('c'), probe, countMax)
          expect(expected).toHaveLength(Math.min(count, countMax))
          expect(await searchIn(gallery, 'c', probe, countMax)).toEqual(expected)
        }
      }
    },
  )

  it('reads few templates once it has an index', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 3000)
    const { gallery } = openGallery(source)
    await searchIn(gallery, 'c', probeOf(points[0]!), 10)
    source.rows = 0
    await searchIn(gallery, 'c', probeOf(points[1]!), 10)
    expect(source.rows).toBeLessThan(300)
  })

  it('enlarges the shortlist if few people own all nearest templates', async () => {
    const source = new MemorySource()
    people(source, 'c', 600)
    const random = generator(2)
    const crowd = anyPoint(random)
    for (let i = 0; i < 500; i++) source.enrol('c', `twin ${i % 3}`, templateNear(crowd, 0.03, random))
    const { gallery } = openGallery(source)
    const probe = probeOf(crowd)
    const found = await searchIn(gallery, 'c', probe, 10)
    expect(found).toEqual(bruteForce(source.templates('c'), probe, 10))
    expect(found).toHaveLength(10)
  })

  it('orders ties by number, however many there are', async () => {
    const source = new MemorySource()
    people(source, 'c', 100)
    const template = templateNear(anyPoint(generator(3)), 0.04, generator(4))
    for (let i = 0; i < 5000; i++) source.enrol('c', `twin ${i % 4000}`, template)
    const { gallery } = openGallery(source)
    const found = await searchIn(gallery, 'c', template, 5)
    expect(found.map(({ subjectId }) => subjectId)).toEqual([0, 1, 2, 3, 4].map((i) => `twin ${i}`))
    expect(found).toEqual(bruteForce(source.templates('c'), template, 5))
  })

  it('returns no candidate for an empty collection, and null for a missing one', async () => {
    const source = new MemorySource()
    source.create('empty')
    const { gallery } = openGallery(source, { scanMax: 0 })
    const probe = probeOf(anyPoint(generator(1)))
    expect(await searchIn(gallery, 'empty', probe, 10)).toEqual([])
    expect(await gallery.search('unknown', probe, 10)).toBeNull()
  })

  it('yields to other work while an index is filled and during an exact scan', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 2500)
    for (const scanMax of [100, 1e6]) {
      const pause = vi.fn(nextTurn)
      const { gallery } = openGallery(source, { pause, scanMax })
      await searchIn(gallery, 'c', probeOf(points[0]!), 10)
      expect(pause.mock.calls.length).toBeGreaterThanOrEqual(4)
    }
  })
})

describe.each([
  ['an index', 100],
  ['a scan', 1e6],
])('what has happened before a search by %s', (_name, scanMax) => {
  it('sees enrolments and removals immediately, repeatedly', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source, { scanMax })
    const random = generator(1)
    for (let round = 0; round < 30; round++) {
      const point = points[Math.floor(random() * points.length)]!
      const probe = probeOf(point, round)
      const [best] = await searchIn(gallery, 'c', probe, 1)
      source.remove('c', best!.number)
      const number = source.enrol('c', `new ${round}`, probe)
      const found = await searchIn(gallery, 'c', probe, 5)
      expect(found[0]).toMatchObject({ number, subjectId: `new ${round}` })
      expect(found).toEqual(bruteForce(source.templates('c'), probe, 5))
    }
  })
})

describe('Gallery.search with concurrent changes', () => {
  it('leaves out a person removed during the search', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    at(source, 'read', 1, () => source.remove('c', best!.number))
    const found = await searchIn(gallery, 'c', probe, 10)
    expect(found).toEqual(bruteForce(source.templates('c'), probe, 10))
  })

  it('leaves out a person removed during an exact scan', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source, { scanMax: 1e6 })
    const probe = probeOf(points[7]!)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    at(source, 'added', 4, () => source.remove('c', best!.number))
    const found = await searchIn(gallery, 'c', probe, 10)
    expect(found).toEqual(bruteForce(source.templates('c'), probe, 10))
  })

  it('misses nobody because of an enrolment', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    await searchIn(gallery, 'c', probe, 1)
    const expected = bruteForce(source.templates('c'), probe, 10)
    at(source, 'read', 1, () => void source.enrol('c', 'late', templateNear(points[7]!, 0.01, generator(1))))
    expect(await searchIn(gallery, 'c', probe, 10)).toEqual(expected)
    expect((await searchIn(gallery, 'c', probe, 10)).map(({ subjectId }) => subjectId)).toContain('late')
  })

  it('sees enrolments made while the index is filled, if the search began after them', async () => {
    const source = new MemorySource()
    people(source, 'c', 2500)
    const { gallery } = openGallery(source)
    const probe = probeOf(anyPoint(generator(77)))
    let second: ReturnType<Gallery['search']> | undefined
    // The first search has read its last page when another person is enrolled and searched for.
    at(source, 'removed', 1, () => {
      source.enrol('c', 'late', probe)
      second = searchIn(gallery, 'c', probe, 1)
    })
    await searchIn(gallery, 'c', probe, 1)
    expect((await second)![0]).toMatchObject({ subjectId: 'late' })
  })

  it('answers many searches of many collections independently', async () => {
    const source = new MemorySource()
    const names = ['a', 'b', 'c']
    const points = new Map(names.map((name, i) => [name, people(source, name, 300 + i, i)]))
    const { gallery } = openGallery(source)
    const searches = Array.from({ length: 30 }, async (_, i) => {
      const name = names[i % 3]!
      const probe = probeOf(points.get(name)![i]!, i)
      const expected = bruteForce(source.templates(name), probe, 5)
      expect(await searchIn(gallery, name, probe, 5)).toEqual(expected)
    })
    await Promise.all(searches)
  })

  it('returns null and keeps nothing if the collection is removed', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    for (const call of ['state', 'added', 'removed', 'read'] as const) {
      people(source, 'c', 1500)
      at(source, call, 1, async () => {
        source.drop('c')
        await gallery.forget('c')
      })
      expect(await gallery.search('c', probe, 10)).toBeNull()
      source.before = () => {}
    }
  })

  it('misses nobody while an index is rebuilt', async () => {
    const source = new MemorySource()
    const random = generator(5)
    const few = Array.from({ length: 20_000 }, () => templateNear(anyPoint(random), 0.1, random))
    source.create('c')
    // More rows than one slice scans; the wanted person is behind the first slice.
    for (let i = 0; i < 33 * blockRows; i++) source.enrol('c', `person ${i}`, few[i % few.length]!)
    const probe = probeOf(anyPoint(random))
    const wanted = source.enrol('c', 'wanted', probe)
    let act = async () => {}
    const { gallery } = openGallery(source, { pause: () => act() })
    await gallery.search('c', probe, 1)
    let times = 0
    act = async () => {
      if (++times !== 1) return
      source.remove('c', 1)
      source.purge('c')
      await gallery.refresh()
    }
    expect((await searchIn(gallery, 'c', probe, 1))[0]).toMatchObject({ number: wanted })
    expect(times).toBeGreaterThan(1)
  })

  it('fails if the source fails, and works again afterwards', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 2500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    at(source, 'added', 3, () => Promise.reject(new Error('the database is away')))
    await expect(searchIn(gallery, 'c', probe, 10)).rejects.toThrow('away')
    source.before = () => {}
    expect(await searchIn(gallery, 'c', probe, 10)).toEqual(bruteForce(source.templates('c'), probe, 10))
  })
})

describe('Gallery.refresh', () => {
  it('applies changes made elsewhere before the next search', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    source.remove('c', best!.number)
    source.enrol('c', 'new', probe)
    await gallery.refresh()
    source.rows = 0
    const found = await searchIn(gallery, 'c', probe, 10)
    expect(found).toEqual(bruteForce(source.templates('c'), probe, 10))
    // Only the shortlist is read: neither the removal nor the enrolment is read again.
    expect(source.rows).toBe(64)
  })

  it('rebuilds an index if removals are no longer listed', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', 1500)
    const { gallery } = openGallery(source)
    const probe = probeOf(points[7]!)
    const [best] = await searchIn(gallery, 'c', probe, 1)
    source.remove('c', best!.number)
    source.purge('c')
    await gallery.refresh()
    source.calls.length = 0
    const read: number[][] = []
    const { read: readTemplates } = source
    source.read = (collectionId, numbers) => {
      read.push([...numbers])
      return readTemplates.call(source, collectionId, numbers)
    }
    expect(await searchIn(gallery, 'c', probe, 10)).toEqual(bruteForce(source.templates('c'), probe, 10))
    expect(read.flat()).not.toContain(best!.number)
    expect(source.calls.filter((call) => call === 'added').length).toBeGreaterThan(3)
  })

  it('continues with other indices if one fails', async () => {
    const source = new MemorySource()
    for (const name of ['a', 'b']) people(source, name, 200)
    const { gallery, troubles } = openGallery(source)
    const probe = probeOf(anyPoint(generator(1)))
    for (const name of ['a', 'b']) await searchIn(gallery, name, probe, 1)
    source.enrol('b', 'new', probe)
    at(source, 'added', 1, () => Promise.reject(new Error('the database is away')))
    await gallery.refresh()
    expect(troubles).toHaveLength(1)
    source.rows = 0
    expect((await searchIn(gallery, 'b', probe, 1))[0]).toMatchObject({ subjectId: 'new' })
    expect(source.rows).toBe(64)
  })
})

describe('memory of indices', () => {
  const probe = probeOf(anyPoint(generator(1)))

  it('stays below its limit by evicting the least recently used index', async () => {
    const source = new MemorySource()
    for (const name of ['a', 'b', 'c']) people(source, name, 200)
    const { gallery, noMemory } = openGallery(source, { memoryMaxBytes: 2 * bytesFor(400, templateLength) })
    const rowsOf = async (name: string) => {
      source.rows = 0
      expect(await searchIn(gallery, name, probe, 3)).toEqual(bruteForce(source.templates(name), probe, 3))
      return source.rows
    }
    const [loading, loaded] = [464, 64]
    expect(await rowsOf('a')).toBe(loading)
    expect(await rowsOf('b')).toBe(loading)
    expect(await rowsOf('a')).toBe(loaded)
    expect(await rowsOf('c')).toBe(loading)
    expect(await rowsOf('a')).toBe(loaded)
    expect(await rowsOf('b')).toBe(loading)
    expect(noMemory).toEqual([])
  })

  it('that is insufficient for a collection is reported once, with the same search results', async () => {
    const source = new MemorySource()
    const points = people(source, 'c', blockRows)
    const { gallery, noMemory } = openGallery(source, { memoryMaxBytes: bytesFor(blockRows, templateLength) })
    for (const point of points.slice(0, 2)) {
      const near = probeOf(point)
      expect(await searchIn(gallery, 'c', near, 3)).toEqual(bruteForce(source.templates('c'), near, 3))
    }
    expect(noMemory).toEqual([{ templates: 2 * blockRows, bytes: bytesFor(2 * blockRows, templateLength) }])
  })

  it('that becomes insufficient for a growing collection', async () => {
    const source = new MemorySource()
    people(source, 'c', blockRows / 2)
    const { gallery, noMemory } = openGallery(source, { memoryMaxBytes: bytesFor(blockRows, templateLength) })
    await searchIn(gallery, 'c', probe, 3)
    expect(noMemory).toEqual([])
    source.enrol('c', 'one too many', probe)
    expect((await searchIn(gallery, 'c', probe, 3))[0]).toMatchObject({ subjectId: 'one too many' })
    expect(noMemory).toEqual([{ templates: blockRows + 1, bytes: bytesFor(blockRows + 1, templateLength) }])
  })

  it('that cannot be allocated, and is tried again after a minute', async () => {
    const source = new MemorySource()
    people(source, 'c', 300)
    let nowMs = 1
    const { gallery, noMemory } = openGallery(source, { nowMs: () => nowMs })
    vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('out of memory')
    })
    try {
      expect(await searchIn(gallery, 'c', probe, 3)).toEqual(bruteForce(source.templates('c'), probe, 3))
    } finally {
      vi.restoreAllMocks()
    }
    expect(noMemory).toHaveLength(1)
    /** Whether a search reads the candidates of an index alone. */
    const usesIndex = async () => {
      source.calls.length = 0
      expect(await searchIn(gallery, 'c', probe, 3)).toEqual(bruteForce(source.templates('c'), probe, 3))
      return source.calls.includes('read')
    }
    nowMs += 59_999
    expect(await usesIndex()).toBe(false)
    nowMs += 1
    expect([await usesIndex(), await usesIndex(), noMemory.length]).toEqual([true, true, 1])
  })

  it('is released for a collection that has become small', async () => {
    const source = new MemorySource()
    people(source, 'c', 60)
    const { gallery } = openGallery(source)
    await searchIn(gallery, 'c', probe, 3)
    for (const { number } of source.templates('c').slice(0, 30)) source.remove('c', number)
    await searchIn(gallery, 'c', probe, 3)
    source.calls.length = 0
    await gallery.refresh()
    expect(source.calls).toEqual([])
  })
})
