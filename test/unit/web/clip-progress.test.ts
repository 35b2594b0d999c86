/** The progress of a clip's check: what is told of an end that nobody knows. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ClipProgress, roundLeft } from '../../../web/try/clip-progress.ts'

const kept = new Map<string, string>()

beforeEach(() => {
  kept.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  })
  return () => vi.unstubAllGlobals()
})

/** Two units of work, which take three seconds at first. */
const size = { durationS: 1, pixels: 1e6 }

/** A clip that is sent within two seconds. */
function sentClip(): ClipProgress {
  const progress = new ClipProgress(0)
  progress.size = size
  progress.send(1, 2000)
  return progress
}

describe('the progress of a clip', () => {
  it('counts sending and checking, by the bytes and the size of the clip', () => {
    const progress = new ClipProgress(0)
    progress.size = size
    expect(progress.at(500)).toEqual({ sent: 0, share: 0, leftS: null, isLate: false })
    progress.send(0.5, 1000)
    expect(progress.at(1000)).toEqual({ sent: 0.5, share: 0.2, leftS: 4, isLate: false })
    progress.send(1, 2000)
    expect(progress.at(3000)).toEqual({ sent: 1, share: 0.6, leftS: 2, isLate: false })
  })

  it('never goes back, nor reaches the end before the answer, and then gives no time', () => {
    const progress = sentClip()
    const times = Array.from({ length: 200 }, (_, i) => 2000 + i * 500)
    const states = times.map((ms) => progress.at(ms))
    const shares = states.map(({ share }) => share!)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.at(-1)).toBeLessThan(1)
    expect(states.at(-1)).toMatchObject({ leftS: null, isLate: true })
    // The connection gets slower.
    const slow = new ClipProgress(0)
    slow.size = size
    slow.send(0.5, 1000)
    const { share } = slow.at(1000)
    slow.send(0.51, 10_000)
    expect(slow.at(10_000).share).toBeGreaterThanOrEqual(share!)
  })

  it('tells only what was sent of a clip that the browser cannot open', () => {
    const progress = new ClipProgress(0)
    progress.send(0.5, 1000)
    expect(progress.at(1000)).toMatchObject({ sent: 0.5, share: null, leftS: null })
    progress.send(1, 2000)
    expect(progress.at(9000)).toEqual({ sent: 1, share: null, leftS: null, isLate: false })
    progress.answer(9000)
    expect(kept.size).toBe(0)
  })

  it('learns from the clips before, and forgives what is kept wrongly', () => {
    sentClip().answer(22_000)
    expect(sentClip().at(2000).leftS).toBe(20)
    sentClip().answer(12_000)
    expect(sentClip().at(2000).leftS).toBe(15)
    for (const key of kept.keys()) kept.set(key, 'Infinity')
    expect(sentClip().at(2000).leftS).toBe(3)
  })

  it('is told in seconds that are no more exact than the guess', () => {
    expect([0.2, 3.1, 10, 10.1, 31].map(roundLeft)).toEqual([1, 4, 10, 15, 35])
  })
})
