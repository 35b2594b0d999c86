import { describe, expect, it } from 'vitest'
import { MissLimit } from '../../../src/identity/miss-limit.ts'

describe('tries that tell something by failing', () => {
  let now = 0
  const limit = () => new MissLimit({ missesMax: 2, windowMs: 60_000, keysMax: 3 }, () => now)

  it('are bounded by key and time', () => {
    const tries = limit()
    expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 0])
    now += 15_000
    expect([tries.begin('a'), tries.begin('b')]).toEqual([45, 0])
    now += 45_000
    expect(tries.begin('a')).toBe(0)
  })

  it('cost nothing when they succeed', () => {
    const tries = limit()
    for (let i = 0; i < 10; i++) {
      expect(tries.begin('a')).toBe(0)
      tries.giveBack('a')
    }
  })

  it('are remembered for so many keys and no more', () => {
    const tries = limit()
    for (const key of ['a', 'a', 'b', 'c', 'd']) tries.begin(key)
    expect([tries.begin('a'), tries.begin('a') === 0, tries.begin('a') > 0]).toEqual([0, true, true])
  })

  it('count while they are under way, so that many at a time tell no more', () => {
    const tries = limit()
    expect([1, 2, 3].map(() => tries.begin('a') > 0)).toEqual([false, false, true])
  })
})
