import { describe, expect, it } from 'vitest'
import {
  all,
  drag,
  type Eyes,
  followBox,
  heightByWidth,
  move,
  placePicture,
  putOn,
  shift,
  zoomAbout,
} from '../../../web/console/pair-geometry.ts'

type Point = [number, number]

const near = ([x, y]: Point) => [expect.closeTo(x, 9), expect.closeTo(y, 9)]

describe('places of pictures', () => {
  it('puts two points on two others, turned and scaled', () => {
    const similarity = putOn(
      [
        [1, 2],
        [4, 6],
      ],
      [
        [-3, 5],
        [-11, 11],
      ],
    )
    expect(move(similarity, [1, 2])).toEqual(near([-3, 5]))
    expect(move(similarity, [4, 6])).toEqual(near([-11, 11]))
    // Right angles stay right.
    expect(move(similarity, [1 - 4, 2 + 3])).toEqual(near([-3 - 6, 5 - 8]))
  })

  const tilted: Eyes = { right: [0.3, 0.52], left: [0.5, 0.4] }

  /** Eyes of an upright picture, as the stored one has them. */
  const storedPlaces: [turns: number, place: (upright: Point) => Point][] = [
    [0, ([x, y]) => [x, y]],
    [1, ([x, y]) => [y, 1 - x]],
    [2, ([x, y]) => [1 - x, 1 - y]],
    [3, ([x, y]) => [1 - y, x]],
  ]

  it.each(storedPlaces)(
    'puts tilted eyes level and apart as everywhere, after %i quarter turns',
    (turns, place) => {
      const size = { width: 300, height: 400 }
      const similarity = placePicture(size, turns, tilted)
      const shown = [tilted.right, tilted.left].map((eye) => {
        const [x, y] = place(eye)
        return move(similarity, [x, (y * size.height) / size.width])
      })
      expect(shown).toEqual([near([0.36, 0.6]), near([0.64, 0.6])])
    },
  )

  it.each([
    ['wide', { width: 800, height: 400 }, 0, [1, 0.5]],
    ['high', { width: 400, height: 800 }, 0, [heightByWidth / 2, heightByWidth]],
    ['wide, turned', { width: 800, height: 400 }, 1, [heightByWidth / 2, heightByWidth]],
    ['high, turned', { width: 400, height: 800 }, 3, [1, 0.5]],
  ] as const)(
    'shows a picture without known eyes whole and upright: %s',
    (_, size, turns, [width, height]) => {
      const similarity = placePicture(size, turns, null)
      const ratio = size.height / size.width
      const corners = [
        move(similarity, [0, 0]),
        move(similarity, [1, 0]),
        move(similarity, [0, ratio]),
        move(similarity, [1, ratio]),
      ]
      const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
      expect([Math.min(...xs), Math.max(...xs)]).toEqual(near([0.5 - width / 2, 0.5 + width / 2]))
      const middle = heightByWidth / 2
      expect([Math.min(...ys), Math.max(...ys)]).toEqual(near([middle - height / 2, middle + height / 2]))
      // The upper left corner of the stored picture is where so many turns put it.
      const corner = [Math.min(...xs), Math.min(...ys)]
      const [x, y] = [corners[0]![0], corners[0]![1]]
      expect([x > corner[0]! + 1e-9, y > corner[1]! + 1e-9]).toEqual(
        [
          [false, false],
          [true, false],
          [true, true],
          [false, true],
        ][turns],
      )
    },
  )

  it('finds the eyes again in a box that has moved and grown', () => {
    const eyes: Eyes = { right: [0.3, 0.4], left: [0.5, 0.4] }
    const { right, left } = followBox(eyes, [0.2, 0.2, 0.4, 0.5], [0, 0.1, 0.8, 1])
    expect([right, left]).toEqual([near([0.2, 0.5]), near([0.6, 0.5])])
  })
})

describe('what is seen of both stages', () => {
  it('zooms about a point, which stays where it is, and no further than eight times', () => {
    const at: Point = [0.25, 0.75]
    const seen = zoomAbout(zoomAbout(all, 2, at), 1.5, at)
    expect(seen).toEqual({ zoom: 3, x: expect.closeTo(-0.5, 9), y: expect.closeTo(-1.5, 9) })
    expect(zoomAbout(seen, 1000, at).zoom).toBe(8)
    expect(zoomAbout(seen, 0.001, at)).toEqual({ zoom: 1, x: expect.closeTo(0, 9), y: expect.closeTo(0, 9) })
  })

  it('shows nothing beside the stages', () => {
    expect(shift(all, [0.5, -0.5])).toEqual({ zoom: 1, x: 0, y: 0 })
    const seen = zoomAbout(all, 3, [0.5, 0.5])
    expect(shift(seen, [9, -9])).toEqual({ zoom: 3, x: 0, y: -2 })
    // What leaves an edge of the enlarged picture comes back within it.
    expect(zoomAbout(shift(seen, [-9, -9]), 1 / 2, [0, 0])).toEqual({ zoom: 1.5, x: -0.5, y: -0.5 })
  })

  it('follows one finger, and two that pinch', () => {
    const seen = zoomAbout(all, 4, [0.5, 0.5])
    expect(drag(seen, [[0.1, 0.2]], [[0.3, 0.1]])).toEqual({
      zoom: 4,
      x: expect.closeTo(seen.x + 0.2, 9),
      y: expect.closeTo(seen.y - 0.1, 9),
    })
    const [from, to] = [
      [
        [0.4, 0.5],
        [0.6, 0.5],
      ] as Point[],
      [
        [0.3, 0.6],
        [0.7, 0.6],
      ] as Point[],
    ]
    const pinched = drag(seen, from, to)
    expect(pinched.zoom).toBeCloseTo(8, 9)
    // What was under each finger is still there.
    for (const finger of [0, 1]) {
      const under = (from[finger]![0] - seen.x) / seen.zoom
      expect(pinched.x + under * pinched.zoom).toBeCloseTo(to[finger]![0], 9)
    }
  })
})
