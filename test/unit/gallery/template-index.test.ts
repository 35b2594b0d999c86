import { beforeAll, describe, expect, it, vi } from 'vitest'
import { compareTemplates, type NormalizedTemplate } from '../../../src/decide/comparison.ts'
import { blockRows, bytesFor, TemplateIndex } from '../../../src/gallery/template-index.ts'
import { anyPoint, generator, templateNear, testKernel } from '../../fixtures/gallery.ts'
import { templateLength } from '../../fixtures/templates.ts'

let module: WebAssembly.Module
beforeAll(async () => {
  module = await testKernel()
})

const noPause = async () => {}
const centre = (): Float32Array => new Float32Array(templateLength)
const openIndex = (): TemplateIndex => new TemplateIndex(module, centre())

type Rows = Map<number, NormalizedTemplate>

/** Adds templates around some points, by numbers with gaps. */
function fill(index: TemplateIndex, count: number, points: number, random: () => number): Rows {
  const rows: Rows = new Map()
  const places = Array.from({ length: points }, () => anyPoint(random))
  let number = 0
  for (let i = 0; i < count; i++) {
    const template = templateNear(places[i % points]!, points === 1 ? 0.02 : 0.1, random)
    number += 1 + Math.floor(random() * 3)
    index.add(number, template)
    rows.set(number, template)
  }
  return rows
}

/** Normalised distances of all rows, smallest first. */
const ranked = (rows: Rows, probe: NormalizedTemplate): [number: number, distance: number][] =>
  [...rows]
    .map(([number, template]): [number, number] => [
      number,
      compareTemplates(template, probe).normalisedDistance,
    ])
    .sort((a, b) => a[1] - b[1])

/** Checks a shortlist: it must contain everything below the distance that it declares as its bound. */
async function expectTrue(index: TemplateIndex, rows: Rows, probe: NormalizedTemplate, kept: number) {
  const { numbers, others } = await index.findNearest(probe, kept, noPause)
  expect(numbers).toHaveLength(Math.min(kept, rows.size))
  expect(new Set(numbers).size).toBe(numbers.length)
  const listed = new Set(numbers)
  expect(numbers.filter((number) => !rows.has(number))).toEqual([])
  expect(Number.isNaN(others)).toBe(false)
  const all = ranked(rows, probe)
  expect(all.filter(([number, distance]) => !listed.has(number) && distance < others)).toEqual([])
  if (kept > rows.size) expect(others).toBe(Number.POSITIVE_INFINITY)
  return { others, all }
}

describe('a shortlist', () => {
  const border = blockRows
  it.each([0, 1, 3, 4, 5, 63, 64, 65, border - 1, border, border + 1, 2 * border + 5])(
    'of %i templates misses nobody who is nearer than it says',
    async (count) => {
      const random = generator(count + 1)
      for (const points of [1, 40]) {
        const index = openIndex()
        const rows = fill(index, count, points, random)
        expect(index.count).toBe(count)
        expect(index.bytes).toBe(bytesFor(count, templateLength))
        const [anyone] = rows.values()
        for (const point of [anyPoint(random), anyone?.vector ?? anyPoint(random)])
          await expectTrue(index, rows, templateNear(point, 0.02, random), 64)
      }
    },
  )

  it('contains the ten nearest among strangers and among look-alikes', async () => {
    const random = generator(5)
    const index = openIndex()
    const rows = fill(index, 3000, 300, random)
    const probes = [...rows.values()].slice(0, 20).map(({ vector }) => templateNear(vector, 0.05, random))
    for (const probe of probes) {
      const { others, all } = await expectTrue(index, rows, probe, 64)
      expect(all[9]![1]).toBeLessThan(others)
    }
  })

  it('has a valid bound for templates far from the centre', async () => {
    const random = generator(6)
    const index = new TemplateIndex(module, centre().fill(2))
    const rows = fill(index, 500, 5, random)
    await expectTrue(index, rows, templateNear(anyPoint(random), 0.1, random), 16)
  })

  it('of one template enrolled repeatedly claims no bound', async () => {
    const index = openIndex()
    const template = templateNear(anyPoint(generator(1)), 0.1, generator(2))
    for (let number = 1; number <= 200; number++) index.add(number, template)
    const { numbers, others } = await index.findNearest(template, 64, noPause)
    expect(numbers).toHaveLength(64)
    expect(compareTemplates(template, template).normalisedDistance).toBeGreaterThan(others)
  })

  it('finds a template exactly at the centre', async () => {
    const index = openIndex()
    index.add(7, { vector: centre(), threshold: 0.6, scale: 0.02 })
    const probe = { vector: centre(), threshold: 0.6, scale: 0.02 }
    expect((await index.findNearest(probe, 4, noPause)).numbers).toEqual([7])
  })
})

describe('TemplateIndex.remove', () => {
  it('keeps the other templates, in any order of removals', async () => {
    const random = generator(8)
    const index = openIndex()
    const rows = fill(index, 3 * blockRows + 100, 20, random)
    const probe = templateNear(anyPoint(random), 0.1, random)
    const numbers = [...rows.keys()]
    const gone = numbers.filter((number, i) => random() < 0.6 || (i > 5000 && i < 9000) || number === 1)
    gone.sort(() => random() - 0.5)
    for (const [i, number] of gone.entries()) {
      expect(index.remove(number)).toBe(true)
      rows.delete(number)
      if (i % 4000 === 0) await expectTrue(index, rows, probe, 64)
    }
    expect(index.count).toBe(rows.size)
    expect(index.remove(gone[0]!)).toBe(false)
    await expectTrue(index, rows, probe, 64)
    const last = numbers.at(-1)! + 1
    const more = templateNear(probe.vector, 0.01, random)
    index.add(last, more)
    rows.set(last, more)
    const { all } = await expectTrue(index, rows, probe, 64)
    expect(all[0]![0]).toBe(last)
    for (const number of rows.keys()) index.remove(number)
    expect(index.count).toBe(0)
    expect((await index.findNearest(probe, 64, noPause)).numbers).toEqual([])
  })

  it('lets freed memory be reused', () => {
    const random = generator(9)
    const index = openIndex()
    let number = 0
    const template = templateNear(anyPoint(random), 0.1, random)
    for (let round = 0; round < 5; round++) {
      const first = number + 1
      for (let i = 0; i < blockRows; i++) index.add(++number, template)
      for (let old = first; old < number; old++) index.remove(old)
    }
    expect(index.count).toBe(5)
    expect(index.bytes).toBeLessThanOrEqual(bytesFor(2 * blockRows, templateLength))
  })

  it('overwrites the bytes of the template', async () => {
    const memories: WebAssembly.Memory[] = []
    const { Memory } = WebAssembly
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(function open(descriptor) {
      memories.push(new Memory(descriptor))
      return memories.at(-1)!
    })
    const index = openIndex()
    vi.restoreAllMocks()
    const bytesLeft = () => new Uint8Array(memories[0]!.buffer).some((byte) => byte !== 0)
    const random = generator(10)
    const rows = fill(index, blockRows + 10, 3, random)
    expect(bytesLeft()).toBe(true)
    for (const number of rows.keys()) index.remove(number)
    expect(bytesLeft()).toBe(false)
    fill(index, blockRows + 10, 3, random)
    await index.clear(noPause)
    expect(index.count).toBe(0)
    expect(bytesLeft()).toBe(false)
  })
})

describe('a search in slices', () => {
  it('continues by number although templates are added and removed in between', async () => {
    const random = generator(11)
    const index = openIndex()
    const rows: Rows = new Map()
    const few = Array.from({ length: 500 }, () => templateNear(anyPoint(random), 0.1, random))
    const count = 33 * blockRows
    for (let number = 1; number <= count; number++) {
      const template = few[number % few.length]!
      index.add(number, template)
      rows.set(number, template)
    }
    const probe = templateNear(anyPoint(random), 0.1, random)
    const gone = new Set<number>()
    let pauses = 0
    const { numbers } = await index.findNearest(probe, 4096, async () => {
      pauses++
      // The first blocks vanish or are merged, so that all later rows move.
      for (let number = 1; number <= 3 * blockRows; number += number % 5 === 4 ? 2 : 1) {
        index.remove(number)
        gone.add(number)
      }
      index.add(count + 1, { ...probe })
    })
    expect(pauses).toBe(1)
    expect(numbers).toContain(count + 1)
    expect(new Set(numbers).size).toBe(4096)
    const behind = ranked(rows, probe).filter(([number]) => number > 32 * blockRows)
    const nearest = behind.slice(0, 10).map(([number]) => number)
    expect(numbers).toEqual(expect.arrayContaining(nearest))
  })

  it('can run concurrently with another one', async () => {
    const random = generator(12)
    const index = openIndex()
    const few = Array.from({ length: 300 }, () => templateNear(anyPoint(random), 0.1, random))
    for (let number = 1; number <= 33 * blockRows; number++) index.add(number, few[number % few.length]!)
    const probes = [0, 1].map(() => templateNear(anyPoint(random), 0.1, random))
    const apart = []
    for (const probe of probes) apart.push(await index.findNearest(probe, 64, noPause))
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    expect(await Promise.all(probes.map((probe) => index.findNearest(probe, 64, turn)))).toEqual(apart)
  })
})

describe('TemplateIndex.add', () => {
  it('refuses invalid templates', () => {
    const index = openIndex()
    const template = templateNear(anyPoint(generator(1)), 0.1, generator(2))
    expect(() => index.add(1, { ...template, scale: 0 })).toThrow(TypeError)
    expect(() => index.add(1, { ...template, vector: centre().fill(Number.NaN) })).toThrow(TypeError)
    index.add(2, template)
    expect(() => index.add(2, template)).toThrow(TypeError)
    expect(index.count).toBe(1)
  })
})
