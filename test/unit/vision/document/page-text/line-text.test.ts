import { describe, expect, it } from 'vitest'
import { decodeCtc } from '../../../../../src/vision/document/page-text/ctc.ts'
import { toLineReadings } from '../../../../../src/vision/document/page-text/line-text.ts'
import {
  alignBox,
  findDirection,
  sortForReading,
} from '../../../../../src/vision/document/page-text/page-direction.ts'
import type { RotatedBox } from '../../../../../src/vision/document/page-text/rotated-box.ts'
import { readingWidth } from '../../../../../src/vision/document/page-text/text-recogniser.ts'

const alphabet = 'ABC 1-'
const points = [...alphabet].map((symbol) => symbol.codePointAt(0)!)

/** One distribution per letter; `_` is no character. */
function distributions(steps: string): Float32Array {
  const p = 0.9
  const classes = alphabet.length + 1
  const data = new Float32Array(steps.length * classes).fill((1 - p) / (classes - 1))
  for (const [i, symbol] of [...steps].entries())
    data[i * classes + (symbol === '_' ? 0 : alphabet.indexOf(symbol) + 1)] = p
  return data
}

const decode = (steps: string) => decodeCtc(distributions(steps), alphabet.length + 1, points)
const textOf = (steps: string) =>
  decode(steps)
    .map(({ symbol }) => symbol)
    .join('')

describe('decoding', () => {
  it('joins repeated classes, and keeps repeated characters', () => {
    expect(textOf('__AA_A__BBB_C')).toBe('AABC')
    expect(textOf('____')).toBe('')
    expect(textOf('')).toBe('')
  })

  it('keeps the best step of each character', () => {
    const data = distributions('AAA')
    data[alphabet.length + 1 + 1] = 0.95
    const [only] = decodeCtc(data, alphabet.length + 1, points)
    expect(only!.step).toBe(1)
    expect(only!.probability).toBeCloseTo(0.95)
  })
})

const box: RotatedBox = { centre: { x: 100, y: 10 }, axis: { x: 1, y: 0 }, width: 200, height: 20 }
const linesOf = (steps: string) => toLineReadings(box, { characters: decode(steps), steps: steps.length })

describe('lines', () => {
  it('have the mean confidence of their characters, and their place', () => {
    const [line] = linesOf('_A_B_ _C_')
    expect(line).toMatchObject({ text: 'AB C' })
    expect(line!.confidence).toBeCloseTo(0.9)
    expect(line!.place).toEqual([
      { x: 0, y: 0 },
      { x: 200, y: 0 },
      { x: 200, y: 20 },
      { x: 0, y: 20 },
    ])
  })

  it('are split at wide gaps', () => {
    const lines = linesOf(`A_B${'_'.repeat(20)}C_1_`)
    expect(lines.map(({ text }) => text)).toEqual(['AB', 'C1'])
    expect(lines[0]!.place[1].x).toBeCloseTo(lines[1]!.place[0].x)
    expect(lines[0]!.place[0].x).toBeCloseTo(0)
    expect(lines[1]!.place[1].x).toBeCloseTo(200)
    expect(linesOf('A_________B').map(({ text }) => text)).toEqual(['AB'])
  })

  it('without text are none', () => {
    expect(linesOf('_____')).toEqual([])
    expect(linesOf('__ __')).toEqual([])
  })
})

describe('the direction of a page', () => {
  const along = (degrees: number, width = 100, height = 10): RotatedBox => {
    const angle = (degrees * Math.PI) / 180
    return { centre: { x: 0, y: 0 }, axis: { x: Math.cos(angle), y: Math.sin(angle) }, width, height }
  }

  it('is that of most of its lines', () => {
    const found = findDirection([along(8), along(10), along(12)])!
    expect((Math.atan2(found.y, found.x) * 180) / Math.PI).toBeCloseTo(10, 0)
    expect(findDirection([along(10), along(10), along(90, 40)])!.x).toBeGreaterThan(0.9)
    expect(findDirection([along(0, 10, 10)])).toBeNull()
    expect(findDirection([])).toBeNull()
    const down = findDirection([along(89), along(-89)])!
    expect(Math.abs(down.y)).toBeCloseTo(1, 2)
  })

  it('turns boxes, but for long ones across the page', () => {
    const right = { x: 1, y: 0 }
    const small = alignBox(along(90, 12, 10), right)
    expect([small.width, small.height]).toEqual([10, 12])
    expect(alignBox(along(180), right).axis.x).toBeCloseTo(1)
    const across = alignBox(along(90, 100, 10), right)
    expect(across.axis.y).toBeCloseTo(-1)
    expect(across.width).toBe(100)
  })

  it('orders lines', () => {
    const at = (x: number, y: number): RotatedBox => ({ ...along(0), centre: { x, y } })
    const sorted = sortForReading([at(10, 52), at(200, 49), at(0, 10), at(5, 90)], { x: 1, y: 0 })
    expect(sorted.map(({ centre }) => centre.x)).toEqual([0, 10, 200, 5])
    const upsideDown = sortForReading([at(10, 50), at(200, 10)], { x: -1, y: 0 })
    expect(upsideDown.map(({ centre }) => centre.x)).toEqual([10, 200])
  })
})

describe('the width of a line', () => {
  it('follows its sides within limits', () => {
    const sized = (width: number, height: number) => readingWidth({ ...box, width, height })
    expect(sized(200, 20)).toBe(480)
    expect(sized(2, 20)).toBe(32)
    expect(sized(1e6, 20)).toBe(1600)
    for (const width of [33, 77, 101]) expect(sized(width, 20) % 8).toBe(0)
  })
})
