import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { blend, shadeOf, showColours } from '../../client/capture/challenge/light.ts'

const colours = [
  { colour: '#ff0000', ms: 400 },
  { colour: '#00ff00', ms: 500 },
]

describe('a colour', () => {
  it('is there at once', () => {
    expect(shadeOf(colours, 0, 0, false)).toBe('#ff0000')
    expect(shadeOf(colours, 1, 0, false)).toBe('#00ff00')
  })

  it('fades from the one before, and from black, for people who want less movement', () => {
    const at = (index: number, ms: number) => shadeOf(colours, index, ms, true)
    expect(at(0, 0)).toBe('#000000')
    expect(at(0, 100)).toBe('#400000')
    expect(at(0, 300)).toBe('#ff0000')
    expect(at(1, 100)).toBe('#bf4000')
    expect(at(1, 400)).toBe('#00ff00')
  })

  it('is mixed channel by channel', () => {
    expect(blend('#102030', '#305010', 0.5)).toBe('#203820')
  })
})

describe('colours on the screen', () => {
  /** Frames that the test draws; each is 16 ms after the one before. */
  let frames: ((timeMs: number) => void)[] = []
  const cancelled: number[] = []
  beforeEach(() => {
    frames = []
    vi.stubGlobal('requestAnimationFrame', (draw: (timeMs: number) => void) => frames.push(draw))
    vi.stubGlobal('cancelAnimationFrame', (id: number) => cancelled.push(id))
  })
  afterEach(() => vi.unstubAllGlobals())

  const play = (until: number) => {
    for (let timeMs = 1000; timeMs <= until; timeMs += 20) frames.pop()?.(timeMs)
  }

  it('are told with the frame after the one that painted them', async () => {
    const painted: string[] = []
    const { signal } = new AbortController()
    const shown = showColours(colours, { isSoft: false, paint: (colour) => painted.push(colour), signal })
    play(2000)
    expect(await shown).toEqual([
      [1020, '#ff0000'],
      [1440, '#00ff00'],
    ])
    expect([...new Set(painted)]).toEqual(['#ff0000', '#00ff00'])
  })

  it('all come, and none shorter, after the browser has not drawn for a while', async () => {
    const { signal } = new AbortController()
    const shown = showColours(colours, { isSoft: false, paint: () => {}, signal })
    let isOver = false
    void shown.then(() => {
      isOver = true
    })
    for (const timeMs of [1000, 1016, 5000, 6000, 6470]) frames.pop()?.(timeMs)
    await Promise.resolve()
    expect(isOver).toBe(false)
    frames.pop()?.(6490)
    expect(await shown).toEqual([
      [1016, '#ff0000'],
      [6000, '#00ff00'],
    ])
  })

  it('end when the capture is broken off', async () => {
    const work = new AbortController()
    const shown = showColours(colours, { isSoft: false, paint: () => {}, signal: work.signal })
    play(1100)
    work.abort()
    await expect(shown).rejects.toThrow('aborted')
    expect(cancelled).toHaveLength(1)
  })
})
