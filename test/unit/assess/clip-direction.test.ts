import { describe, expect, it } from 'vitest'
import { ClipDirection } from '../../../src/assess/clip-direction.ts'

/** @param further quarter turns that the frames need on top of the direction so far */
function decided(known: number | null, ...further: number[]): ClipDirection {
  const direction = new ClipDirection(known)
  for (const turns of further) direction.add(turns)
  return direction
}

describe('the direction of a clip', () => {
  it('is as the pictures are stored until a face was found', () => {
    expect(decided(null)).toMatchObject({
      found: null,
      quarterTurns: 0,
      better: null,
      isOpen: true,
    })
  })

  it('is that of the first frame, which later ones confirm', () => {
    expect(decided(null, 3)).toMatchObject({ quarterTurns: 3, better: null, isOpen: true })
    expect(decided(null, 3, 0, 0)).toMatchObject({ quarterTurns: 3, better: null, isOpen: false })
  })

  it('is doubted by more frames than one', () => {
    expect(decided(null, 3, 2).better).toBe(null)
    expect(decided(null, 3, 2, 0).better).toBe(null)
    expect(decided(null, 3, 2, 2)).toMatchObject({ quarterTurns: 3, better: 1 })
    expect(decided(null, 0, 1, 2, 3).better).toBe(null)
  })

  it('tells frames that lie otherwise', () => {
    const direction = decided(null)
    expect([3, 0, 2].map((turns) => direction.add(turns))).toEqual([true, true, false])
  })

  it('is not looked for if it is known', () => {
    expect(decided(2, 1, 1)).toMatchObject({ quarterTurns: 2, better: null, isOpen: false, isKnown: true })
  })
})
