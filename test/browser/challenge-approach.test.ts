import { describe, expect, it, vi } from 'vitest'
import { approachKind } from '../../client/capture/challenge/approach-step.ts'
import type { Scene } from '../../client/capture/challenge/step-kind.ts'
import type { FoundFace } from '../../client/capture/finder-messages.ts'
import { challengeSteps } from '../../src/setting-kinds.ts'
import { useFakeTime } from '../fixtures/fake-time.ts'

const step = { type: 'approach', from: 0.3, to: 0.6 } as const
const portrait = { videoWidth: 480, videoHeight: 640 }

/** Performs the step before a camera that shows a face of some width at each time. */
async function perform(
  widthAt: (timeMs: number) => number | null | undefined,
  { video = portrait, signal = new AbortController().signal } = {},
) {
  const ovals: (number | null)[] = []
  const asked: string[] = []
  const startMs = performance.now()
  const find = async (): Promise<FoundFace | null | undefined> => {
    const width = widthAt(performance.now() - startMs)
    return width ? { x: 0.5, y: 0.46, width, turn: 0, nod: 0.6 } : (width as null | undefined)
  }
  const view = { video, setOval: (width: number | null) => void ovals.push(width) }
  const scene = { stage: { view }, faces: { find }, startMs, wantsLight: false, signal }
  const ask = (text: string) => void asked.push(text)
  const { from, to } = await approachKind.perform(step, { ...scene, ask } as unknown as Scene)
  return { ovals, asked, from, ms: to - from }
}

describe('a face that is to come nearer', () => {
  const soon = useFakeTime()

  it('is awaited no longer than it takes', async () => {
    const { ovals, asked, ms } = await soon(perform((timeMs) => (timeMs < 1000 ? 0.31 : 0.59)))
    expect(ovals).toEqual([0.3, 0.6])
    expect(asked).toEqual(['moveBack', 'comeNearer'])
    expect(ms).toBeGreaterThan(1000)
    expect(ms).toBeLessThan(1800)
  })

  it.each([
    ['stays far away', 0.31],
    ['stays near', 0.7],
  ])('has no longer than servers allow for: a face that %s', async (_, width) => {
    const { ms } = await soon(perform(() => width))
    expect(ms).toBeGreaterThan(width < 0.5 ? 3500 : 1000)
    expect(ms).toBeLessThan(1000 * challengeSteps.approach.seconds + 200)
  })

  it('has a fixed time where nobody can see it', async () => {
    const { ms } = await soon(perform(() => undefined))
    expect(ms).toBeGreaterThan(3400)
    expect(ms).toBeLessThan(4200)
  })

  it('is as wide as a share of the shorter side of the picture', async () => {
    // The stage shows 540 of 1280 pixels.
    const { ovals } = await soon(perform(() => undefined, { video: { videoWidth: 1280, videoHeight: 720 } }))
    expect(ovals).toEqual([0.4, 0.8])
  })

  it('is awaited no more when the capture is broken off', async () => {
    const work = new AbortController()
    const performed = perform(() => 0.31, { signal: work.signal })
    const refused = expect(performed).rejects.toThrow('aborted')
    await vi.advanceTimersByTimeAsync(500)
    work.abort()
    await refused
  })
})
