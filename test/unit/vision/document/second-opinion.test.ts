import { describe, expect, it } from 'vitest'
import { decodeZone } from '../../../../src/documents/mrz/decode-zone.ts'
import { combineReadings } from '../../../../src/vision/document/combine-readings.ts'
import type { PlacedCharacter } from '../../../../src/vision/document/decode-frames.ts'
import type { LineReader } from '../../../../src/vision/document/line-reader.ts'
import { askSecond } from '../../../../src/vision/document/second-opinion.ts'
import { pitch, type StripPlan } from '../../../../src/vision/document/strip.ts'
import type { Pyramid } from '../../../../src/vision/pyramid.ts'
import { somewhere } from '../../../fixtures/mrz.ts'

const lines = ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6']
const place = (text: string): PlacedCharacter[] =>
  [...text].map((symbol, i) => ({ symbol, probability: 0.999, others: [], place: (i + 2.5) * pitch }))
const change = (text: string, at: number, symbol: string) => text.slice(0, at) + symbol + text.slice(at + 1)

const plan: StripPlan = {
  path: { x: 0, y: 0, dx: 1, dy: 0, bend: [0, 0, 0], isMirrored: false },
  along: [0, 1, 0],
  rowStep: 1,
  width: 640,
}
const zone = { place: somewhere, isMirrored: false }

/** A line of which one character was misread with doubt. */
const misread = (text: string, at: number, symbol: string): PlacedCharacter[] =>
  place(change(text, at, symbol)).map((character, i) =>
    i === at ? { ...character, probability: 0.7 } : character,
  )

/** Asks a second reader that reads these lines. */
async function ask(own: readonly (string | PlacedCharacter[])[], second: readonly string[]) {
  const left = [...second]
  const read: LineReader = async () => {
    const characters = place(left.shift()!)
    return { characters, confidence: 1, settle: () => characters }
  }
  const plans = own.map(() => plan)
  const settled = await askSecond(
    read,
    {} as Pyramid,
    plans,
    own.map((line) => (typeof line === 'string' ? place(line) : line)),
    zone,
  )
  return {
    asked: left.length < second.length,
    decoded: decodeZone({ ...zone, lines: settled.map((characters) => ({ characters })) })!,
  }
}

describe('a second opinion', () => {
  it('is not asked for on a zone that its check digits prove', async () => {
    const { asked, decoded } = await ask(lines, lines)
    expect(asked).toBe(false)
    expect(decoded).toMatchObject({ isProven: true, lines })
  })

  it('counts where the check digits prove it and not the first reading', async () => {
    const { decoded } = await ask([lines[0]!, misread(lines[1]!, 4, '7')], lines)
    expect(decoded).toMatchObject({ isProven: true, lines })
    expect(decoded.confidence).toBeGreaterThan(0.8)
  })

  it('leaves names doubtful that both read differently', async () => {
    const own = [change(lines[0]!, 10, 'Z'), misread(lines[1]!, 4, '7')]
    const { decoded } = await ask(own, lines)
    expect(decoded.isProven).toBe(true)
    expect(decoded.confidence).toBeLessThan(0.8)
  })

  it('counts alone where the first reading lacks a character, and leaves names doubtful', async () => {
    const cut = lines[1]!.slice(0, -1)
    const same = await ask([lines[0]!, cut], lines)
    expect(same.decoded).toMatchObject({ isProven: true, lines })
    expect(same.decoded.confidence).toBeGreaterThan(0.8)
    for (const symbol of ['Z', '<']) {
      const { decoded } = await ask([change(lines[0]!, 10, symbol), cut], lines)
      expect(decoded).toMatchObject({ isProven: true, lines })
      expect(decoded.confidence).toBeLessThan(0.8)
    }
  })

  it('makes a clear reading doubtful whose check digits do not hold, and does not correct it', async () => {
    for (const [at, symbol] of [
      [4, '7'],
      [0, 'O'],
    ] as const) {
      const own = [lines[0]!, change(lines[1]!, at, symbol)]
      const { decoded } = await ask(own, lines)
      expect(decoded).toMatchObject({ isProven: false, lines: own })
      expect(decoded.checks).toMatchObject([
        { name: 'documentNumber', state: 'unsure' },
        { name: 'birthDate', state: 'valid' },
        { name: 'expiryDate', state: 'valid' },
        { name: 'composite', state: 'unsure' },
      ])
    }
  })

  it('does not count where no check digits prove it', async () => {
    const own = [lines[0]!, change(lines[1]!, 4, '7')]
    const { decoded } = await ask(own, [lines[0]!, change(lines[1]!, 4, '9')])
    expect(decoded).toMatchObject({ isProven: false, lines: own })
  })
})

describe('readings of one line', () => {
  it('are doubtful where they differ', () => {
    const [first, other] = [place('ABCDEFGH'), place('ABCDZFGH')]
    const joined = combineReadings([first, first, other], pitch)
    expect(joined.map(({ symbol }) => symbol).join('')).toBe('ABCDEFGH')
    expect(joined[4]!.probability).toBeCloseTo(0.666, 2)
    expect(joined[4]!.others).toEqual([{ symbol: 'Z', probability: expect.closeTo(0.333, 2) as number }])
    expect(joined[3]!.probability).toBeCloseTo(0.999, 3)
  })

  it('are doubtful where one of them lacks a character', () => {
    const first = place('ABCDEFGH')
    const joined = combineReadings([first, first.filter((_, i) => i !== 2)], pitch)
    expect(joined[2]!.probability).toBeCloseTo(0.5, 2)
    expect(joined).toHaveLength(8)
  })
})
