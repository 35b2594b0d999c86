import { describe, expect, it } from 'vitest'
import { Throttle } from '../../../src/identity/throttle.ts'
import type { ThrottlingRates } from '../../../src/settings.ts'

/** A throttle with a clock that the test controls. */
function throttled(rates: ThrottlingRates, keysMax?: number, delayMaxMs = 0) {
  const clock = { ms: 123_456.789 }
  const throttle = new Throttle(rates, delayMaxMs, () => clock.ms, keysMax)
  return { clock, throttle }
}

const takeMany = (throttle: Throttle, times: number, key = 'k') =>
  Array.from({ length: times }, () => throttle.take('auth', key).ok).filter(Boolean).length

describe('a throttle', () => {
  it('a throttle allows the calls of its rate at once and refuses the next', () => {
    const { throttle } = throttled({ auth: { calls: 10, seconds: 60 } })
    expect(takeMany(throttle, 10)).toBe(10)
    expect(throttle.take('auth', 'k')).toEqual({ ok: false, retryAfterS: 6 })
  })

  it('a throttle delays calls in their order, and refuses those that would wait too long', () => {
    const { clock, throttle } = throttled({ auth: { calls: 2, seconds: 4 } }, undefined, 5000)
    const delays = () => {
      const taken = throttle.take('auth', 'k')
      return taken.ok ? Math.round(taken.delayMs) : `again in ${taken.retryAfterS}`
    }
    expect([1, 2, 3, 4, 5].map(delays)).toEqual([0, 0, 2000, 4000, 'again in 6'])
    clock.ms += 2000
    expect([1, 2].map(delays)).toEqual([4000, 'again in 6'])
    clock.ms += 20_000
    expect([1, 2, 3].map(delays)).toEqual([0, 0, 2000])
  })

  it('a throttle remembers a key until all its calls have run and its rate is whole again', () => {
    const { clock, throttle } = throttled({ auth: { calls: 1, seconds: 4 } }, undefined, 4000)
    expect(takeMany(throttle, 3)).toBe(2)
    clock.ms += 7000
    expect(throttle.take('auth', 'k')).toMatchObject({ delayMs: expect.closeTo(1000, 2) })
  })

  it('a throttle separates kinds and keys, and does not limit kinds without a rate', () => {
    const { throttle } = throttled({
      auth: { calls: 1, seconds: 60 },
      rest_unauthorized: { calls: 1, seconds: 60 },
    })
    expect(throttle.take('auth', 'a')).toMatchObject({ ok: true, delayMs: 0 })
    expect(throttle.take('auth', 'b')).toMatchObject({ ok: true, delayMs: 0 })
    expect(throttle.take('rest_unauthorized', 'a')).toMatchObject({ ok: true, delayMs: 0 })
    expect(throttle.take('auth', 'a').ok).toBe(false)
    for (let i = 0; i < 1000; i++)
      expect(throttle.take('rps_with_token', 'a')).toMatchObject({ ok: true, delayMs: 0 })
    expect(throttle.size).toBe(3)
  })

  it.each([
    { calls: 10, seconds: 60 },
    { calls: 7, seconds: 60 },
    { calls: 3, seconds: 1 },
    { calls: 20, seconds: 1 },
    { calls: 1, seconds: 86_400 },
    { calls: 1000, seconds: 7 },
  ])('allows a call again after the time it names, and not much earlier: %j', (rate) => {
    const { clock, throttle } = throttled({ auth: rate })
    expect(takeMany(throttle, rate.calls + 1)).toBe(rate.calls)
    clock.ms += (rate.seconds * 1000) / rate.calls - 0.1
    expect(throttle.take('auth', 'k').ok).toBe(false)
    const refused = throttle.take('auth', 'k')
    expect(refused).toMatchObject({ ok: false })
    clock.ms += refused.ok ? 0 : refused.retryAfterS * 1000
    expect(throttle.take('auth', 'k')).toMatchObject({ ok: true, delayMs: 0 })
  })

  it('a throttle never exceeds its rate over a long time, whatever the number of tries', () => {
    const { clock, throttle } = throttled({ auth: { calls: 7, seconds: 60 } })
    let allowed = 0
    for (let i = 0; i < 36_000; i++) {
      clock.ms += 100
      if (throttle.take('auth', 'k').ok) allowed++
    }
    expect(allowed).toBeLessThanOrEqual(7 + 7 * 60)
    expect(allowed).toBeGreaterThanOrEqual(7 + 7 * 60 - 1)
  })

  it('a throttle allows the whole rate again after its period', () => {
    const { clock, throttle } = throttled({ auth: { calls: 7, seconds: 60 } })
    takeMany(throttle, 20)
    clock.ms += 60_000
    expect(takeMany(throttle, 20)).toBe(7)
  })

  it('a throttle limits its remembered keys and forgets the least recently used one', () => {
    const { clock, throttle } = throttled({ auth: { calls: 1, seconds: 60 } }, 3)
    for (const key of ['a', 'b', 'c']) {
      throttle.take('auth', key)
      clock.ms += 1
    }
    expect(throttle.take('auth', 'a').ok).toBe(false)
    throttle.take('auth', 'd')
    expect(throttle.size).toBe(3)
    expect(throttle.take('auth', 'a').ok).toBe(false)
    expect(throttle.take('auth', 'b').ok).toBe(true)
    for (let i = 0; i < 10_000; i++) throttle.take('auth', `key ${i}`)
    expect(throttle.size).toBe(3)
  })

  it('a throttle remembers 50 000 keys per kind by default', () => {
    const { throttle } = throttled({ auth: { calls: 1, seconds: 60 } })
    for (let i = 0; i < 50_100; i++) throttle.take('auth', String(i))
    expect(throttle.size).toBe(50_000)
  })

  it('a throttle forgets keys that were idle for the period of the rate', () => {
    const { clock, throttle } = throttled({ auth: { calls: 2, seconds: 60 } })
    takeMany(throttle, 1, 'once')
    takeMany(throttle, 5, 'often')
    clock.ms += 30_000
    takeMany(throttle, 1, 'later')
    clock.ms += 30_000
    throttle.forgetFull()
    expect(throttle.size).toBe(1)
    clock.ms += 30_000
    throttle.take('auth', 'new')
    expect(throttle.size).toBe(1)
  })

  it('a throttle refuses keys that are too long', () => {
    const { throttle } = throttled({ auth: { calls: 2, seconds: 60 } })
    expect(() => throttle.take('auth', 'x'.repeat(129))).toThrow(TypeError)
  })
})
