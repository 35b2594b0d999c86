import { beforeEach, describe, expect, it } from 'vitest'
import { type KnownSession, SessionCache } from '../../../src/accounts/session-cache.ts'

describe('session cache', () => {
  let now: number
  let reads: string[]
  const entry = (id: string) => ({ session: { id }, user: {} }) as unknown as KnownSession
  const find = (cache: SessionCache, hash: string) =>
    cache.find(hash, async () => {
      reads.push(hash)
      return entry(hash)
    })

  beforeEach(() => {
    now = 1000
    reads = []
  })

  it('reads a session once within its time', async () => {
    const cache = new SessionCache(5000, () => now)
    for (const at of [0, 4999, 5000, 9000]) {
      now = 1000 + at
      await find(cache, 'a')
    }
    expect(reads).toEqual(['a', 'a'])
  })

  it('remembers nothing for 0 seconds', async () => {
    const cache = new SessionCache(0, () => now)
    await find(cache, 'a')
    await find(cache, 'a')
    expect(reads).toEqual(['a', 'a'])
  })

  it('forgets what was changed, also if it is being read', async () => {
    const cache = new SessionCache(5000, () => now)
    await find(cache, 'a')
    await find(cache, 'b')
    cache.forget('a')
    await find(cache, 'a')
    await find(cache, 'b')
    expect(reads).toEqual(['a', 'b', 'a'])
    cache.forgetAll()
    await cache.find('b', async () => {
      cache.forgetAll()
      return entry('old')
    })
    await find(cache, 'b')
    expect(reads).toEqual(['a', 'b', 'a', 'b'])
  })

  it('does not remember that there is no session', async () => {
    const cache = new SessionCache(5000, () => now)
    expect(await cache.find('a', async () => null)).toBeNull()
    expect((await find(cache, 'a'))?.session.id).toBe('a')
  })

  it('stays small', async () => {
    const cache = new SessionCache(5000, () => now)
    for (let n = 0; n < 10_001; n++) await find(cache, String(n))
    await find(cache, '10000')
    await find(cache, '0')
    expect(reads.slice(10_001)).toEqual(['0'])
  })
})
