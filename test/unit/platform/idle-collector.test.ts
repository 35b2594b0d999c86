import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdleCollector, findCollector } from '../../../src/platform/idle-collector.ts'

describe('the collector of idle threads', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('garbage is collected once a second has passed after much work', () => {
    let megabytes = 50
    const collect = vi.fn(() => {
      megabytes = 54
    })
    const ended = createIdleCollector(collect, () => megabytes * 2 ** 20)
    for (let medium = 0; medium < 3; medium++) {
      megabytes += 20
      ended()
      vi.advanceTimersByTime(900)
    }
    expect(collect).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(collect).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(10_000)
    expect(collect).toHaveBeenCalledTimes(1)
    ended()
    vi.advanceTimersByTime(1000)
    expect(collect).toHaveBeenCalledTimes(1)
  })

  it('what was allocated when it was collected for the last time counts, and little garbage stays', () => {
    let megabytes = 100
    const collect = vi.fn(() => {
      megabytes = 40
    })
    const ended = createIdleCollector(collect, () => megabytes * 2 ** 20)
    const callsAfter = (allocated: number): number => {
      megabytes = allocated
      ended()
      vi.advanceTimersByTime(1000)
      return collect.mock.calls.length
    }
    expect(callsAfter(110)).toBe(0)
    expect(callsAfter(120)).toBe(1)
    expect(callsAfter(55)).toBe(1)
    expect(callsAfter(57)).toBe(2)
  })

  it('finds the garbage collector of this runtime', () => {
    expect(findCollector()).toBeTypeOf('function')
  })
})
