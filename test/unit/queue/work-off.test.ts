import { expect, it } from 'vitest'
import { workOff } from '../../../src/queue/work-off.ts'

it('an item that fails stops no other, and is told once', async () => {
  const calls: number[][] = []
  const told: unknown[] = []
  const work = async (items: readonly number[]) => {
    calls.push([...items])
    if (items.includes(2) || items.includes(3)) throw new Error(`failed with ${items.length}`)
  }
  const rules = { onError: (error: unknown) => void told.push(error), check: async () => {} }
  expect(await workOff([1, 2, 3, 4], work, rules)).toEqual([2, 3])
  expect(calls).toEqual([[1, 2, 3, 4], [1], [2], [3], [4]])
  expect(told).toEqual([new Error('failed with 1'), new Error('failed with 1')])
  expect(await workOff([1, 4], work, rules)).toEqual([])
  expect(calls.at(-1)).toEqual([1, 4])
})

it('ends at the first failure if nothing can be done for any item', async () => {
  const calls: number[][] = []
  const work = async (items: readonly number[]) => {
    calls.push([...items])
    throw new Error('away')
  }
  const check = () => Promise.reject(new Error('nothing answers'))
  await expect(workOff([1, 2, 3], work, { onError() {}, check })).rejects.toThrow('nothing answers')
  expect(calls).toEqual([[1, 2, 3], [1]])
})
