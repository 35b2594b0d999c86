import { beforeAll, expect, it } from 'vitest'
import { compareTemplates } from '../../../src/decide/comparison.ts'
import { Gallery } from '../../../src/gallery/gallery.ts'
import type { EnrolledTemplate } from '../../../src/gallery/source.ts'
import { bytesFor } from '../../../src/gallery/template-index.ts'
import {
  anyPoint,
  generator,
  MemorySnapshots,
  MemorySource,
  templateNear,
  testKernel,
} from '../../fixtures/gallery.ts'
import { templateLength } from '../../fixtures/templates.ts'

let kernel: WebAssembly.Module
beforeAll(async () => {
  kernel = await testKernel()
})

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Concurrent searches, enrolments, removals, refreshes and removed collections, with memory for two of three indices. */
it.each([1, 2, 3, 4, 5, 6])(
  'concurrent searches and changes give correct results (seed %i)',
  async (seed) => {
    const random = generator(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    const source = new MemorySource()
    source.before = async () => {
      for (let turns = below(4); turns > 0; turns--) await nextTurn()
    }
    const gallery = new Gallery({
      templateLength,
      source,
      kernel,
      snapshots: new MemorySnapshots(),
      models: 'models',
      memoryMaxBytes: 2 * bytesFor(1, templateLength),
      scanMax: 40,
      pause: nextTurn,
      nowMs: () => Date.now(),
      onNoMemory() {},
      onError(error) {
        throw error
      },
    })
    const points = Array.from({ length: 80 }, () => anyPoint(random))
    const names = ['a', 'b', 'c']
    const enrol = (name: string) => {
      const person = below(points.length)
      source.enrol(name, `person ${person}`, templateNear(points[person]!, 0.05, random))
    }
    /** All templates that ever existed, by number. */
    const everybody = new Map<number, EnrolledTemplate>()
    const note = (name: string) => {
      for (const template of source.templates(name)) everybody.set(template.number, template)
    }
    for (const name of names) {
      source.create(name)
      for (let i = 0; i < 150; i++) enrol(name)
    }

    const search = async (name: string) => {
      const probe = templateNear(points[below(points.length)]!, 0.05, random)
      const countMax = 1 + below(8)
      note(name)
      const before = new Set(source.templates(name).map(({ number }) => number))
      const found = (await gallery.search(name, probe, countMax)) ?? []
      note(name)
      const stable = source.templates(name).filter(({ number }) => before.has(number))
      const last = found.length === countMax ? found.at(-1)!.normalisedDistance : Number.POSITIVE_INFINITY
      const subjects = new Set(found.map(({ subjectId }) => subjectId))
      const missed = stable.filter(
        (template) =>
          compareTemplates(template, probe).normalisedDistance < last && !subjects.has(template.subjectId),
      )
      expect(missed).toEqual([])
      expect(subjects.size).toBe(found.length)
      for (const { number, subjectId, score, distance, normalisedDistance } of found) {
        const template = everybody.get(number)!
        expect(template.subjectId).toBe(subjectId)
        expect(compareTemplates(template, probe)).toEqual({ score, distance, normalisedDistance })
      }
      const order = found.map((candidate) => candidate.normalisedDistance)
      expect(order).toEqual([...order].sort((x, y) => x - y))
      return found
    }

    const running: Promise<unknown>[] = []
    for (let step = 0; step < 400; step++) {
      const name = names[below(names.length)]!
      const choice = random()
      const templates = source.templates(name)
      if (choice < 0.4) running.push(search(name))
      else if (choice < 0.65) enrol(name)
      else if (choice < 0.9 && templates.length > 0)
        source.remove(name, templates[below(templates.length)]!.number)
      else if (choice < 0.95) running.push(gallery.refresh())
      else if (choice < 0.96) source.purge(name)
      else if (choice < 0.97) {
        source.drop(name)
        running.push(gallery.forget(name))
        source.create(name)
        for (let i = 0; i < 100; i++) enrol(name)
      } else await nextTurn()
    }
    await Promise.all(running)
    for (const name of names) {
      const present = new Set(source.templates(name).map(({ number }) => number))
      for (const { number } of await search(name)) expect(present.has(number)).toBe(true)
    }
  },
)
