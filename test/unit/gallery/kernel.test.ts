import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openDistances } from '../../../src/gallery/kernel.ts'
import { templateLength } from '../../../src/vision/template.ts'
import { buildKernel } from '../../../wasm/gallery/build.mjs'
import { anyPoint, generator, testKernel } from '../../fixtures/gallery.ts'

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
    const distances = openDistances(await testKernel(), rows)
    const found = distances(query)
    expect(found).toHaveLength(count)
    for (const [row, distance] of found.entries()) {
      const vector = rows.subarray(row * templateLength, (row + 1) * templateLength)
      const expected = Math.sqrt(vector.reduce((sum, value, i) => sum + (value - query[i]!) ** 2, 0))
      expect(Math.abs(distance - expected)).toBeLessThan(2e-6)
    }
    expect(distances(query)).toEqual(found)
  })

  it('does not change what it measured before', async () => {
    const random = generator(3)
    const distances = openDistances(await testKernel(), anyPoint(random))
    const first = distances(anyPoint(random))
    const before = [...first]
    distances(anyPoint(random))
    expect([...first]).toEqual(before)
  })
})
