import { describe, expect, it } from 'vitest'
import { quickselect } from '../../../src/decide/quickselect.ts'
import { generator } from '../../fixtures/gallery.ts'

const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b)

describe('quickselect', () => {
  it.each([1, 2, 3, 10, 99, 100, 101, 1500])(
    'moves the smallest of %i values to the front and keeps all values',
    (length) => {
      const random = generator(length)
      for (const levels of [1, 2, 7, 1e9]) {
        const values = Float32Array.from({ length }, () => Math.floor(random() * levels))
        for (const count of [0, 1, Math.ceil(length / 2), 100, length]) {
          const moved = values.slice()
          const least = quickselect(moved, count)
          expect(sorted(least)).toEqual(sorted(values).slice(0, count))
          expect(sorted(moved)).toEqual(sorted(values))
        }
      }
    },
  )

  it('handles ascending, descending and empty input', () => {
    const rising = Float32Array.from({ length: 1000 }, (_, i) => i)
    expect(sorted(quickselect(rising.slice(), 3))).toEqual([0, 1, 2])
    expect(sorted(quickselect(rising.slice().reverse(), 3))).toEqual([0, 1, 2])
    expect(quickselect(new Float32Array(), 5)).toHaveLength(0)
  })
})
