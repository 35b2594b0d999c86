import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdleCollector, findCollector } from '../../../src/platform/idle-collector.ts'

describe('the collector of idle threads', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('collects once when large media have ended for a second', () => {
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

  it('finds the collection of this runtime', () => {
    expect(findCollector()).toBeTypeOf('function')
  })
})
