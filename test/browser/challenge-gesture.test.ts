import { describe, expect, it } from 'vitest'
import { gestureKind } from '../../client/capture/challenge/gesture-step.ts'
import type { Scene } from '../../client/capture/challenge/step-kind.ts'
import type { FoundFace } from '../../client/capture/finder-messages.ts'
import { useFakeTime } from '../fixtures/fake-time.ts'

const rest: FoundFace = { x: 0.5, y: 0.46, width: 0.4, turn: 0.05, nod: 0.6 }

/** Performs a gesture before a camera that shows a face at each time. */
async function perform(
  gesture: string,
  faceAt: (timeMs: number) => FoundFace | null | undefined | Promise<undefined>,
  { before = rest as FoundFace | null, spareMs = 0, signal = new AbortController().signal } = {},
) {
  const asked: string[] = []
  const spare = { ms: spareMs }
  const startMs = performance.now()
  const faces = { find: async () => faceAt(performance.now() - startMs) }
  const ask = (text: string) => void asked.push(text)
  const scene = { stage: { view: { video: {} } }, faces, rest: before, spare, startMs, signal, ask }
  const { from, to } = await gestureKind.perform({ type: 'gesture', gesture }, scene as unknown as Scene)
  return { asked, ms: to - from, spareMs: spare.ms }
}

describe('a gesture', () => {
  const soon = useFakeTime()
  const from = (changes: Partial<FoundFace>) => (timeMs: number) =>
    timeMs < 700 ? rest : { ...rest, ...changes }

  it.each([
    ['left', { turn: 0.31 }, { turn: 0.27 }],
    ['right', { turn: -0.21 }, { turn: -0.17 }],
    ['high', { nod: 0.36 }, { nod: 0.4 }],
    ['down', { nod: 0.78 }, { nod: 0.74 }],
    ['zoom_in', { width: 0.56 }, { width: 0.5 }],
    ['zoom_out', { width: 0.28 }, { width: 0.32 }],
  ])(
    'is over soon after it is seen, and no longer than usual if it is too small: %s',
    async (gesture, enough, less) => {
      const seen = await soon(perform(gesture, from(enough)))
      expect(seen.asked).toEqual([gesture, 'seen'])
      // Servers take no step below 1.5 s.
      expect(seen.ms).toBeGreaterThanOrEqual(1600)
      expect(seen.ms).toBeLessThan(1800)
      expect(seen.spareMs).toBeGreaterThan(600)
      const unseen = await soon(perform(gesture, from(less)))
      expect(unseen.asked).toEqual([gesture])
      expect(unseen.ms).toBeGreaterThan(2300)
      expect(unseen.ms).toBeLessThan(2600)
      expect(unseen.spareMs).toBeLessThan(100)
    },
  )

  it('to the other side is another one', async () => {
    expect((await soon(perform('left', from({ turn: -0.4 })))).asked).toEqual(['left'])
    const before = { ...rest, turn: -0.3 }
    expect((await soon(perform('left', from({ turn: 0.02 }), { before }))).asked).toEqual(['left'])
  })

  it('that is late has the time that others left over', async () => {
    const late = (timeMs: number) => (timeMs < 2600 ? rest : { ...rest, turn: 0.4 })
    const { asked, ms, spareMs } = await soon(perform('left', late, { spareMs: 1500 }))
    expect(asked).toEqual(['left', 'seen'])
    expect(ms).toBeGreaterThan(3000)
    expect(ms).toBeLessThan(3900)
    expect(spareMs).toBeLessThan(1000)
  })

  it.each([
    ['that nobody can see', 'left', () => undefined, rest],
    ['before a finder that is too slow', 'left', () => new Promise<undefined>(() => {}), rest],
    ['of a face that was not seen at rest', 'left', from({ turn: 0.4 }), null],
    ['that is no movement of the head', 'smile', from({ turn: 0.4 }), rest],
  ])('%s takes its usual time', async (_, gesture, faceAt, before) => {
    const { asked, ms } = await soon(perform(gesture, faceAt, { before }))
    expect(asked).toEqual([gesture])
    expect(ms).toBeGreaterThan(2300)
    expect(ms).toBeLessThan(2600)
  })
})
