import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type Cohort, readCohort } from '../../../src/decide/cohort.ts'
import { compareTemplates, placeTemplate } from '../../../src/decide/comparison.ts'
import { plainDistances } from '../../../src/decide/distance.ts'
import { openDistances } from '../../../src/gallery/kernel.ts'
import { type Template, templateLength, templateModelId } from '../../../src/vision/template.ts'
import { buildKernel } from '../../../wasm/gallery/build.mjs'
import { anyPoint, generator, templateNear, testKernel } from '../../fixtures/gallery.ts'

const committed = (name: string) => readFile(new URL(`../../../wasm/gallery/${name}`, import.meta.url))

describe('the committed module', () => {
  it('is what its source builds to', async () => {
    const { bytes, sha256 } = await buildKernel()
    expect(Buffer.from(bytes).equals(await committed('kernel.wasm'))).toBe(true)
    expect((await committed('kernel.wasm.sha256')).toString()).toBe(`${sha256}  kernel.wasm\n`)
  })
})

describe('exact distances', () => {
  it.each([0, 1, 2, 7, 1500])('of %i rows are those of plain arithmetic', async (count) => {
    const random = generator(count)
    const rows = Float32Array.from({ length: count * templateLength }, () => random() - 0.5)
    const query = anyPoint(random)
    const distances = openDistances(await testKernel())(rows)
    const found = distances(query)
    expect(found).toHaveLength(count)
    const expected = plainDistances(rows)(query)
    for (const [row, distance] of found.entries())
      expect(Math.abs(distance - expected[row]!)).toBeLessThan(2e-6)
    expect(distances(query)).toEqual(found)
  })

  it('does not change what it measured before', async () => {
    const random = generator(3)
    const distances = openDistances(await testKernel())(anyPoint(random))
    const first = distances(anyPoint(random))
    const before = [...first]
    distances(anyPoint(random))
    expect([...first]).toEqual(before)
  })
})

describe('places and scores', () => {
  it('are those of plain arithmetic', async () => {
    const file = new Uint8Array(await readFile(new URL('../../../models/cohort-1.f16', import.meta.url)))
    const plain = readCohort('cohort-1', file)
    const fast = readCohort('cohort-1', file, openDistances(await testKernel()))
    const random = generator(4)
    const templates = Array.from({ length: 200 }, (_, i): Template => {
      const member = plain.members.slice(i * templateLength, (i + 1) * templateLength)
      return { modelId: templateModelId, vector: templateNear(member, 0.05 + 0.1 * random(), random).vector }
    })
    let difference = 0
    for (const [i, a] of templates.entries()) {
      const b =
        i % 2 === 0 ? templates[i + 1]! : { ...a, vector: templateNear(a.vector, 0.08, random).vector }
      const scoreBy = (cohort: Cohort) =>
        compareTemplates(placeTemplate(cohort, a), placeTemplate(cohort, b)).score
      difference = Math.max(difference, Math.abs(scoreBy(plain) - scoreBy(fast)))
    }
    expect(difference).toBeLessThan(1e-6)
  })
})
