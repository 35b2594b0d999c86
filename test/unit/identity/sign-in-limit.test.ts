import { describe, expect, it } from 'vitest'
import { SignInLimit } from '../../../src/identity/sign-in-limit.ts'

const minute = 60_000

describe('wrong passwords', () => {
  let now = 0
  const limit = () => new SignInLimit(() => now)
  const guess = (tries: SignInLimit, account: string, address: string, times: number): number => {
    let guessed = 0
    for (let i = 0; i < times; i++) {
      if (tries.begin(account, address) > 0) break
      guessed++
    }
    return guessed
  }

  it('wrong passwords per account and address are limited, for a quarter of an hour', () => {
    const tries = limit()
    expect(guess(tries, 'a', 'x', 50)).toBe(10)
    expect(tries.waitS('a', 'x')).toBe(900)
    expect(tries.waitS('b', 'x')).toBe(0)
    now += 15 * minute
    expect(guess(tries, 'a', 'x', 50)).toBe(10)
  })

  it('checks that find no wrong password are not counted', () => {
    const tries = limit()
    for (let i = 0; i < 300; i++) {
      expect(tries.begin('a', 'x')).toBe(0)
      tries.giveBack('a', 'x')
    }
    expect(guess(tries, 'a', 'x', 50)).toBe(10)
  })

  it('wrong passwords per address are limited, whatever the account', () => {
    const tries = limit()
    const guessed = Array.from({ length: 100 }, (_, i) => guess(tries, `a${i}`, 'x', 5))
    expect(guessed.reduce((sum, count) => sum + count)).toBe(200)
    expect(tries.waitS('a0', 'y')).toBe(0)
  })

  it('wrong passwords of others do not affect addresses that have signed in before', () => {
    const tries = limit()
    expect(tries.identifyCaller('a', 'x')).toEqual({ company: 'strangers', address: 'x' })
    tries.recordSuccess('a', 'x')
    for (let i = 0; i < 40; i++) guess(tries, `b${i}`, 'x', 5)
    expect(tries.waitS('c', 'x')).toBe(900)
    expect(guess(tries, 'a', 'x', 50)).toBe(10)
    expect([tries.identifyCaller('a', 'x').company, tries.identifyCaller('a', 'y').company]).toEqual([
      'familiar',
      'strangers',
    ])
  })

  it('an attack from many addresses leaves each address fewer attempts, and the owner some', () => {
    const tries = limit()
    const guessed = Array.from({ length: 20 }, (_, i) => guess(tries, 'a', `x${i}`, 50))
    expect(guessed).toEqual([...Array(5).fill(10), ...Array(15).fill(3)])
    expect(guess(tries, 'a', 'home of the owner', 2)).toBe(2)
    expect(tries.waitS('a', 'home of the owner')).toBe(0)
  })
})
