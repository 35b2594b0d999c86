import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdleCollector, findCollector } from '../../../src/platform/idle-collector.ts'

describe('the collector of idle threads', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('garbage is collected once a second has passed after large media', () => {
    const collect = vi.fn()
    const ended = createIdleCollector(collect)
    for (let medium = 0; medium < 3; medium++) {
      ended()
      vi.advanceTimersByTime(900)
    }
    expect(collect).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(collect).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(10_000)
    expect(collect).toHaveBeenCalledTimes(1)
  })

  it('finds the garbage collector of this runtime', () => {
    expect(findCollector()).toBeTypeOf('function')
  })
})
