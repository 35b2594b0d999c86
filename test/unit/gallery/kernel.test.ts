import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import manifest from '../../../models/manifest.json' with { type: 'json' }
import { type Cohort, readCohort } from '../../../src/decide/cohort.ts'
import { compareTemplates, normalizeTemplate } from '../../../src/decide/comparison.ts'
import { openPlainDistances } from '../../../src/decide/distance.ts'
import { openDistances } from '../../../src/gallery/kernel.ts'
import type { Template } from '../../../src/vision/templates/registry.ts'
import { buildModule } from '../../../wasm/build-module.mjs'
import { anyPoint, generator, templateNear, testKernel } from '../../fixtures/gallery.ts'
import { templateLength } from '../../fixtures/templates.ts'

const committed = (name: string) => readFile(new URL(`../../../wasm/gallery/${name}`, import.meta.url))

describe('the committed kernel module', () => {
  it('is identical to a build of its source', async () => {
    const { bytes, sha256 } = await buildModule('gallery')
    expect(Buffer.from(bytes).equals(await committed('kernel.wasm'))).toBe(true)
    expect((await committed('kernel.wasm.sha256')).toString()).toBe(`${sha256}  kernel.wasm\n`)
  })
})

describe('exact distances of the kernel', () => {
  it.each([
    [0, 160],
    [1, 128],
    [2, 160],
    [7, 16],
    [1500, 160],
    [300, 512],
  ])('of %i rows of %i components are those of plain arithmetic', async (count, length) => {
    const random = generator(count)
    const rows = Float32Array.from({ length: count * length }, () => random() - 0.5)
    const query = Float32Array.from({ length }, () => random() - 0.5)
    const distances = openDistances(await testKernel())(rows, length)
    const found = distances(query)
    expect(found).toHaveLength(count)
    const expected = openPlainDistances(rows, length)(query)
    for (const [row, distance] of found.entries())
      expect(Math.abs(distance - expected[row]!)).toBeLessThan(2e-6)
    expect(distances(query)).toEqual(found)
  })

  it('do not overwrite earlier results', async () => {
    const random = generator(3)
    const distances = openDistances(await testKernel())(anyPoint(random), templateLength)
    const first = distances(anyPoint(random))
    const before = [...first]
    distances(anyPoint(random))
    expect([...first]).toEqual(before)
  })
})

describe('normalised templates and scores', () => {
  it.each(manifest.cohorts)('of cohort $id equal those of plain arithmetic', async (facts) => {
    const file = new Uint8Array(await readFile(new URL(`../../../models/${facts.file}`, import.meta.url)))
    const plain = readCohort(facts, file)
    const fast = readCohort(facts, file, openDistances(await testKernel()))
    const random = generator(4)
    const templates = Array.from({ length: 200 }, (_, i): Template => {
      const member = plain.members.slice(i * plain.length, (i + 1) * plain.length)
      return {
        modelId: facts.templateModelId,
        vector: templateNear(member, 0.05 + 0.1 * random(), random).vector,
      }
    })
    let difference = 0
    for (const [i, a] of templates.entries()) {
      const b =
        i % 2 === 0 ? templates[i + 1]! : { ...a, vector: templateNear(a.vector, 0.08, random).vector }
      const scoreBy = (cohort: Cohort) =>
        compareTemplates(normalizeTemplate(cohort, a), normalizeTemplate(cohort, b)).score
      difference = Math.max(difference, Math.abs(scoreBy(plain) - scoreBy(fast)))
    }
    expect(difference).toBeLessThan(1e-6)
  })
})
