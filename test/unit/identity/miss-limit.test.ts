import { describe, expect, it } from 'vitest'
import { MissLimit } from '../../../src/identity/miss-limit.ts'

describe('attempts that reveal something by failing', () => {
  let now = 0
  const limit = () => new MissLimit({ missesMax: 2, windowMs: 60_000, keysMax: 3 }, () => now)

  it('failed attempts are limited by key and time', () => {
    const tries = limit()
    expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 0])
    for (let i = 0; i < 2; i++) tries.fail('a')
    now += 15_000
    expect([tries.begin('a'), tries.begin('b')]).toEqual([45, 0])
    now += 45_000
    expect(tries.begin('a')).toBe(0)
  })

  it('successful attempts cost nothing', () => {
    const tries = limit()
    for (let i = 0; i < 10; i++) {
      expect(tries.begin('a')).toBe(0)
      tries.giveBack('a')
    }
  })

  it('failed attempts are remembered for a limited number of keys', () => {
    const tries = limit()
    for (const key of ['a', 'a', 'b', 'c', 'd']) tries.begin(key)
    expect([tries.begin('a'), tries.begin('a') === 0, tries.begin('a') > 0]).toEqual([0, true, true])
  })

  it('running attempts count, so that concurrent ones reveal no more', () => {
    const tries = limit()
    expect([1, 2, 3].map(() => tries.begin('a') > 0)).toEqual([false, false, true])
  })

  it('running attempts whose end nobody tells stop counting, failed ones do not', () => {
    const tries = new MissLimit({ missesMax: 2, windowMs: 900_000 }, () => now)
    tries.begin('a')
    tries.fail('a')
    expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 900])
    now += 60_000
    expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 840])
    tries.fail('a')
    now += 60_000
    expect(tries.begin('a')).toBe(780)
  })

  it('an attempt that fails after it stopped counting counts again', () => {
    const tries = new MissLimit({ missesMax: 1, windowMs: 900_000 }, () => now)
    tries.begin('a')
    now += 60_000
    expect(tries.waitS('a')).toBe(0)
    tries.fail('a')
    expect(tries.waitS('a')).toBe(840)
  })
})
