/** Duties that are not done in each round. */
import { expect, it } from 'vitest'
import { atFullHours } from '../../../src/compose/housekeeping.ts'

it('work of full hours is done once in the first minute of each, and again where it failed', async () => {
  let now = Date.UTC(2026, 10, 29, 21, 59, 30)
  let done = 0
  let fails = false
  const work = atFullHours(
    async () => {
      if (fails) throw new Error('no database')
      done++
    },
    () => now,
  )
  const at = async (afterS: number) => {
    now += afterS * 1000
    await work()
    return done
  }
  expect([await at(0), await at(30), await at(10), await at(60)]).toEqual([0, 1, 1, 1])
  fails = true
  await expect(at(3540)).rejects.toThrow()
  fails = false
  expect([await at(5), await at(1), await at(3600)]).toEqual([2, 2, 3])
})
