import { describe, expect, it } from 'vitest'
import { measureBlend } from '../../../../src/vision/clip/blend.ts'
import { chipSide } from '../../../../src/vision/clip/face-zones.ts'

type Picture = (x: number, y: number) => number

const inner = (at: number): boolean => {
  const [x, y] = [at % chipSide, Math.floor(at / chipSide)]
  return Math.min(x, y, chipSide - 1 - x, chipSide - 1 - y) >= 3
}
const face = Uint16Array.from({ length: chipSide * chipSide }, (_, at) => at).filter(inner)

const draw = (picture: Picture): { chip: Float32Array } => ({
  chip: Float32Array.from({ length: chipSide * chipSide }, (_, at) =>
    picture(at % chipSide, Math.floor(at / chipSide)),
  ),
})

const random = (x: number, y: number, seed: number): number => {
  const value = Math.sin(x * 127.1 + y * 311.7 + seed * 74.7) * 43758.5453
  return (value - Math.floor(value) - 0.5) * 2
}

/** Smooth details of one size. */
const details =
  (size: number, seed: number): Picture =>
  (x, y) => {
    const [column, row] = [Math.floor(x / size), Math.floor(y / size)]
    const [u, v] = [x / size - column, y / size - row].map((share) => share * share * (3 - 2 * share))
    const line = (at: number) => random(column, at, seed) * (1 - u!) + random(column + 1, at, seed) * u!
    return 2 * (line(row) * (1 - v!) + line(row + 1) * v!)
  }

/** Different photos of faces have details of the same sizes at other places. */
const photo = (seed: number): Picture => {
  const [fine, coarse] = [details(4, seed), details(9, seed + 50)]
  return (x, y) => fine(x, y) + coarse(x, y)
}

const mix =
  (first: Picture, second: Picture, share: number): Picture =>
  (x, y) =>
    first(x, y) * (1 - share) + second(x, y) * share

const shift =
  (picture: Picture, dx: number, dy: number): Picture =>
  (x, y) =>
    picture(x - dx, y - dy)

const allSeen = new Uint8Array(chipSide * chipSide).fill(1)

const measureSeen = (frame: (i: number) => Picture, count: number, isSeenIn: (i: number) => Uint8Array) =>
  measureBlend(
    Array.from({ length: count }, (_, i) => ({ ...draw(frame(i)), isSeen: isSeenIn(i) })),
    face,
  )

const measure = (frame: (i: number) => Picture, count = 36) =>
  measureSeen(frame, count, () => allSeen).remainder

/** Photos in turn, each of which fades into the next within some frames. */
const crossfade = (photos: readonly Picture[], frames: number) => (i: number) => {
  const at = Math.floor(i / frames)
  return mix(photos[at % photos.length]!, photos[(at + 1) % photos.length]!, (i % frames) / frames)
}
const photos = [1, 2, 3].map(photo)

/** Noise of a camera, different in each frame. */
const grain =
  (picture: Picture, frame: number): Picture =>
  (x, y) =>
    picture(x, y) + 0.2 * random(x, y, frame + 100)

describe('measureBlendRemainder', () => {
  it.each([6, 12, 24, 36])('finds photos that fade into each other within %d frames', (frames) => {
    expect(measure(crossfade(photos, frames))).toBeLessThan(0.1)
  })

  it('finds a crossfade that begins and ends slowly', () => {
    const share = (i: number) => (1 - Math.cos((Math.PI * i) / 35)) / 2
    expect(measure((i) => mix(photos[0]!, photos[1]!, share(i)))).toBeLessThan(0.1)
  })

  it('finds a crossfade despite noise and a small misalignment', () => {
    const faded = crossfade(photos, 12)
    const trembling = (i: number) => shift(faded(i), 0.4 * Math.sin(i * 0.7), 0.4 * Math.cos(i * 0.45))
    expect(measure((i) => grain(trembling(i), i))).toBeLessThan(0.3)
  })

  it('finds no crossfade if a part of the face moves', () => {
    /** The lower half moves down, as a jaw does. */
    const opened = (by: number): Picture => {
      return (x, y) => (y < 32 ? photos[0]!(x, y) : photos[0]!(x, y - by))
    }
    for (const speed of [0.2, 0.4, 0.8, 1.6]) expect(measure((i) => opened(i * speed))).toBeGreaterThan(0.38)
    expect(measure((i) => opened(4 + 4 * Math.sin(i * 0.4)))).toBeGreaterThan(0.4)
  })

  it('finds no crossfade in lips that open and close, or lids', () => {
    /** Below a line, which moves, another picture appears. */
    const covered = (line: number): Picture => {
      return (x, y) => (y < line ? photos[0]!(x, y) : photos[1]!(x, y))
    }
    expect(measure((i) => covered(32 + 20 * Math.sin(i * 0.3)))).toBeGreaterThan(0.5)
  })

  it('does not take a single blended frame of an encoder for a crossfade', () => {
    const jumping = (i: number) =>
      i % 12 === 6 ? mix(photos[0]!, photos[1]!, 0.5) : photos[Math.floor((i + 5) / 12) % 2]!
    expect(measure(jumping)).toBeGreaterThan(0.5)
  })

  it('finds one short crossfade between photos that are held for seconds', () => {
    const held = (i: number) => mix(photos[0]!, photos[1]!, Math.min(1, Math.max(0, (i - 48) / 4)))
    expect(measure((i) => grain(held(i), i), 100)).toBeLessThan(0.3)
  })

  it('finds a crossfade in few frames', () => {
    expect(measure(crossfade(photos, 6), 7)).toBeLessThan(0.1)
  })

  it('finds nothing where pictures hold still, or there are none', () => {
    expect(measure((i) => grain(photos[0]!, i))).toBeNull()
    expect(measure(crossfade(photos, 4), 4)).toBeNull()
    expect(measureBlend([], face)).toEqual({ frames: 0, remainder: null })
  })

  it('compares what most frames show', () => {
    const upperHalf = allSeen.map((_, at) => (at < allSeen.length / 2 ? 1 : 0))
    const { frames, remainder } = measureSeen(crossfade(photos, 12), 36, (i) =>
      i % 9 === 4 ? allSeen : upperHalf,
    )
    expect([frames, remainder! < 0.1]).toEqual([36, true])
    const hidden = new Uint8Array(allSeen.length)
    expect(measureSeen(crossfade(photos, 12), 36, (i) => (i % 9 === 4 ? hidden : allSeen)).frames).toBe(32)
    const inTurn = measureSeen(crossfade(photos, 12), 36, (i) => (i % 2 === 0 ? hidden : allSeen))
    expect(inTurn).toEqual({ frames: 0, remainder: null })
  })
})
