import { describe, expect, it } from 'vitest'
import { placeCharacters } from '../../../../src/vision/document/place-characters.ts'

const distance = 3.5

/** Probability of print with a bump for each character; `presenceAt` says how high. */
function printed(count: number, presenceAt: (i: number) => number): Float32Array {
  const frames = new Float32Array(Math.ceil(count * distance) + 10).fill(0)
  for (let frame = 0; frame < frames.length; frame++) {
    const i = Math.round((frame + 0.5 - 5) / distance)
    if (i < 0 || i >= count) continue
    const isMiddle = Math.abs(frame + 0.5 - 5 - i * distance) <= 1
    frames[frame] = isMiddle ? presenceAt(i) : 0
  }
  return frames
}

const expectRegular = (places: readonly number[], count: number) => {
  expect(places).toHaveLength(count)
  for (const [i, place] of places.entries()) expect(Math.abs(place - 5 - i * distance)).toBeLessThan(0.8)
}

describe('places of characters', () => {
  it('are the middles of print that stands apart', () => {
    expectRegular(
      placeCharacters(
        printed(30, () => 1),
        distance,
      ).places,
      30,
    )
  })

  it('are as many where repeated symbols run into each other', () => {
    const merged = printed(30, () => 1)
    // As in ERIKSSON: nothing tells the second S from the first and from the O behind it.
    const [from, to] = [5 + 10 * distance, 5 + 13 * distance].map(Math.round) as [number, number]
    merged.fill(1, from, to)
    expectRegular(placeCharacters(merged, distance).places, 30)
  })

  it('go on over characters that are hardly visible', () => {
    const weak = printed(30, (i) => (i >= 12 && i < 17 ? 0.1 : 1))
    expectRegular(placeCharacters(weak, distance).places, 30)
  })

  it('follow print that is wider than expected, and changes in perspective', () => {
    const frames = new Float32Array(160)
    const middles = Array.from({ length: 36 }, (_, i) => 4 + 4.2 * i - 0.012 * i * i)
    for (const middle of middles) frames[Math.floor(middle)] = 1
    const { places } = placeCharacters(frames, distance)
    expect(places).toHaveLength(36)
    for (const [i, place] of places.entries()) expect(Math.abs(place - middles[i]!)).toBeLessThan(0.8)
  })

  it('do not reach over to a spot beside the line', () => {
    const frames = new Float32Array(120)
    frames.set(printed(20, () => 1))
    frames[108] = 0.9
    expect(placeCharacters(frames, distance).places).toHaveLength(20)
  })

  it('are none where nothing is printed', () => {
    expect(placeCharacters(new Float32Array(40), distance).places).toEqual([])
    expect(placeCharacters(new Float32Array(0), distance).places).toEqual([])
  })
})
