import { describe, expect, it } from 'vitest'
import { adaptPace, collectBatches, firstPace, readInBatches } from '../../../src/storage/lists/batches.ts'

const numbers = Array.from({ length: 100 }, (_, i) => i)

const embedded = { isLocal: true }

/** @param rowMs how long each row takes to read */
function reading(rowMs: number) {
  const sizes: number[] = []
  const read = async (keys: readonly number[]) => {
    sizes.push(keys.length)
    const endMs = performance.now() + rowMs * keys.length
    while (performance.now() < endMs);
    return new Map(keys.map((key) => [key, `row ${key}`] as const))
  }
  return { sizes, read }
}

describe('rows in batches', () => {
  it('batches have the order of their keys, without deleted rows', async () => {
    const read = async (keys: readonly number[]) =>
      new Map(keys.toReversed().flatMap((key) => (key === 7 ? [] : [[key, key * 2] as const])))
    expect(await collectBatches(readInBatches([9, 7, 3], firstPace(embedded), read))).toEqual([18, 6])
    expect(await collectBatches(readInBatches([], firstPace(embedded), read))).toEqual([])
  })

  it('slow rows are read one by one', async () => {
    const { sizes, read } = reading(20)
    expect(await collectBatches(readInBatches(numbers.slice(0, 40), firstPace(embedded), read))).toHaveLength(
      40,
    )
    expect(sizes.slice(0, 4)).toEqual([4, 2, 1, 1])
  })

  it('the way to a server does not make batches smaller, but large rows do', () => {
    const sizesOf = (rowMs: number) => {
      const pace = firstPace({ isLocal: false })
      return Array.from({ length: 6 }, () => {
        const { rows } = pace
        adaptPace(pace, 30 + rowMs * rows)
        return rows
      })
    }
    expect(sizesOf(0)).toEqual([4, 8, 16, 32, 32, 32])
    expect(sizesOf(3)).toEqual([4, 8, 16, 16, 16, 16])
    expect(Math.max(...sizesOf(30))).toBe(8)
  })

  it('an answer of a server that fails is asked for again in smaller ones, once', async () => {
    const sizes: number[] = []
    const read = (largest: number) => async (keys: readonly number[]) => {
      sizes.push(keys.length)
      if (keys.length > largest) throw new Error('too long')
      return new Map(keys.map((key) => [key, key] as const))
    }
    const server = { isLocal: false }
    expect(await collectBatches(readInBatches(numbers, firstPace(server), read(15)))).toEqual(numbers)
    expect(sizes.slice(0, 5)).toEqual([4, 8, 16, 4, 8])
    await expect(collectBatches(readInBatches(numbers, firstPace(server), read(3)))).rejects.toThrow(
      'too long',
    )
    sizes.length = 0
    await expect(collectBatches(readInBatches(numbers, firstPace(embedded), read(7)))).rejects.toThrow()
    // On a busy machine they grow later.
    expect(sizes.filter((size) => size > 7)).toEqual([8])
  })

  it('reading batches yields to the event loop', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await collectBatches(readInBatches(numbers, firstPace(embedded), reading(1).read))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })
})
