import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findCollector, IdleCollector } from '../../../src/platform/idle-collector.ts'

describe('the collector of idle threads', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  let megabytes = 0
  /** @param kept what a collection leaves */
  const collectorOf = (kept: number) => {
    const collect = vi.fn(() => {
      megabytes = kept
    })
    const collector = new IdleCollector(collect, () => megabytes * 2 ** 20)
    const work = (allocated: number, restMs: number): number => {
      collector.begin()
      megabytes = allocated
      collector.end()
      vi.advanceTimersByTime(restMs)
      return collect.mock.calls.length
    }
    return { collector, collect, work }
  }

  it('garbage is collected once, when a second has passed after the last of much work', () => {
    megabytes = 50
    const { collect, work } = collectorOf(54)
    for (const allocated of [70, 90, 110]) expect(work(allocated, 900)).toBe(0)
    vi.advanceTimersByTime(100)
    expect(collect).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(10_000)
    expect(collect).toHaveBeenCalledTimes(1)
  })

  it('work of more than a second is not interrupted, nor is other work beside what ends', () => {
    megabytes = 50
    const { collector, collect, work } = collectorOf(54)
    collector.begin()
    expect(work(100, 5000)).toBe(0)
    collector.end()
    vi.advanceTimersByTime(999)
    collector.begin()
    vi.advanceTimersByTime(5000)
    expect(collect).not.toHaveBeenCalled()
    collector.end()
    vi.advanceTimersByTime(1000)
    expect(collect).toHaveBeenCalledTimes(1)
  })

  it('only what was allocated since the last collection counts, also where more is kept than at first', () => {
    megabytes = 10
    const { work } = collectorOf(90)
    expect(work(20, 1000)).toBe(0)
    expect(work(120, 1000)).toBe(1)
    expect(work(92, 1000)).toBe(1)
    expect(work(105, 1000)).toBe(1)
    expect(work(106, 1000)).toBe(2)
  })

  it('what the engine has collected by itself counts as collected', () => {
    megabytes = 100
    const { work } = collectorOf(40)
    expect(work(60, 1000)).toBe(0)
    expect(work(77, 1000)).toBe(1)
  })

  it('finds the garbage collector of this runtime', () => {
    expect(findCollector()).toBeTypeOf('function')
  })
})
