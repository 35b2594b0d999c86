import { describe, expect, it } from 'vitest'
import {
  boxCorners,
  cropMap,
  mapBox,
  minimalBox,
  type RotatedBox,
  sliceBox,
  turnAxis,
} from '../../../../../src/vision/document/page-text/rotated-box.ts'
import { findTextBoxes, type TextMap } from '../../../../../src/vision/document/page-text/text-map.ts'

/** A map with rotated rectangles of a probability. */
function drawMap(width: number, height: number, boxes: readonly (RotatedBox & { p?: number })[]): TextMap {
  const data = new Float32Array(width * height).fill(0.05)
  for (const { centre, axis, width: length, height: breadth, p = 0.9 } of boxes)
    for (let i = 0; i < data.length; i++) {
      const [dx, dy] = [(i % width) + 0.5 - centre.x, Math.floor(i / width) + 0.5 - centre.y]
      const isInside =
        Math.abs(dx * axis.x + dy * axis.y) <= length / 2 &&
        Math.abs(dy * axis.x - dx * axis.y) <= breadth / 2
      if (isInside) data[i] = p
    }
  return { data, width, height }
}

const towards = (degrees: number) => ({
  x: Math.cos((degrees * Math.PI) / 180),
  y: Math.sin((degrees * Math.PI) / 180),
})

const box = (x: number, y: number, width: number, height: number, degrees = 0): RotatedBox => ({
  ...{ centre: { x, y }, axis: towards(degrees), width, height },
})

describe('boxes of a text map', () => {
  it('are the cores with their margins', () => {
    const [found, ...others] = findTextBoxes(drawMap(200, 100, [box(100, 50, 80, 10)]), 10)
    expect(others).toEqual([])
    expect(found!.centre.x).toBeCloseTo(100, 0)
    expect(found!.centre.y).toBeCloseTo(50, 0)
    // Area 800, circumference 180: the margin is 800 · 1.6 / 180.
    expect(found!.width).toBeCloseTo(80 + 2 * 7.11, 0)
    expect(found!.height).toBeCloseTo(10 + 2 * 7.11, 0)
    expect(found!.axis.x).toBeCloseTo(1, 2)
  })

  it.each([0, 5, 20, 45, 70, -10, -60, 90])('follow lines tilted by %i degrees', (degrees) => {
    const [found] = findTextBoxes(drawMap(240, 240, [box(120, 120, 150, 14, degrees)]), 10)
    const along = found!.axis.x * towards(degrees).x + found!.axis.y * towards(degrees).y
    expect(Math.abs(along)).toBeGreaterThan(0.998)
    expect(found!.axis.x).toBeGreaterThanOrEqual(-1e-9)
    // Steps of the pixels at the sides count as a part of the line.
    expect(Math.abs(found!.width - 150 - 2 * 10.2)).toBeLessThan(5)
    expect(Math.abs(found!.height - 14 - 2 * 10.2)).toBeLessThan(5)
  })

  it('are separate for separate lines, the largest first', () => {
    const lines = [box(50, 20, 60, 8), box(60, 60, 100, 8), box(150, 20, 40, 8)]
    const found = findTextBoxes(drawMap(200, 100, lines), 10)
    expect(found.map(({ centre }) => Math.round(centre.x))).toEqual([60, 50, 150])
    expect(findTextBoxes(drawMap(200, 100, lines), 2)).toHaveLength(2)
  })

  it('leave out specks, and cores that are hardly text', () => {
    expect(findTextBoxes(drawMap(100, 100, [box(50, 50, 2, 2)]), 10)).toEqual([])
    expect(findTextBoxes(drawMap(100, 100, [box(50, 50, 40, 2)]), 10)).toEqual([])
    expect(findTextBoxes(drawMap(100, 100, [{ ...box(50, 50, 40, 8), p: 0.4 }]), 10)).toEqual([])
    expect(findTextBoxes(drawMap(100, 100, []), 10)).toEqual([])
  })

  it('take a whole map of text, and one of no numbers', () => {
    const data = new Float32Array(64 * 32).fill(1)
    expect(findTextBoxes({ data, width: 64, height: 32 }, 10)).toHaveLength(1)
    expect(findTextBoxes({ data: data.map(() => Number.NaN), width: 64, height: 32 }, 10)).toEqual([])
  })
})

describe('rotated boxes', () => {
  it('are the smallest around points', () => {
    const corners = boxCorners(box(30, 40, 50, 20, 30))
    const found = minimalBox([...corners, { x: 30, y: 40 }])!
    expect(found.width).toBeCloseTo(50)
    expect(found.height).toBeCloseTo(20)
    expect(found.axis.x).toBeCloseTo(towards(30).x)
    expect(minimalBox([])).toBeNull()
    expect(minimalBox([{ x: 1, y: 2 }])).toMatchObject({ width: 0, height: 0 })
  })

  it('keep their place when their axis is turned', () => {
    const original = box(30, 40, 50, 20, 30)
    const places = (item: RotatedBox) =>
      boxCorners(item)
        .map(({ x, y }) => [Math.round(x * 1e6), Math.round(y * 1e6)].join())
        .sort()
    for (const turns of [1, 2, 3, 4]) expect(places(turnAxis(original, turns))).toEqual(places(original))
    expect(turnAxis(original, 2).axis.x).toBeCloseTo(-original.axis.x)
    const [topLeft] = boxCorners(turnAxis(original, 2))
    expect(topLeft.x).toBeCloseTo(boxCorners(original)[2].x)
  })

  it('map crops onto themselves', () => {
    const { xx, xy, yx, yy, tx, ty } = cropMap(box(30, 40, 50, 20, 90), 100, 10)
    // Text downwards: the first pixel is at the upper right corner.
    expect([tx, ty]).toEqual([expect.closeTo(40), expect.closeTo(15)])
    expect([tx + xx * 100, ty + yx * 100]).toEqual([expect.closeTo(40), expect.closeTo(65)])
    expect([tx + xy * 10, ty + yy * 10]).toEqual([expect.closeTo(20), expect.closeTo(15)])
  })

  it('can be sliced, and moved to other coordinates', () => {
    const slice = sliceBox(box(100, 50, 200, 20), 0.5, 1)
    expect(slice).toMatchObject({ centre: { x: 150, y: 50 }, width: 100, height: 20 })
    const moved = mapBox(box(10, 0, 20, 4), { a: 0, b: 2, tx: 5, ty: 5 })
    expect(moved).toMatchObject({ centre: { x: 5, y: 25 }, axis: { x: 0, y: 1 }, width: 40, height: 8 })
  })
})
