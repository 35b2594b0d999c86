import { expect, it } from 'vitest'
import { decodeFrames, mrzSymbols } from '../../../../src/vision/document/decode-frames.ts'

const classes = mrzSymbols.length + 1
const distance = 3.5

interface Frame {
  at: number
  symbol: string
  logit?: number
}

/** Outputs of the network that are sure of nothing but the given frames. */
function logitsOf(frames: number, marks: readonly Frame[]): Float32Array {
  const logits = new Float32Array(frames * classes)
  for (let frame = 0; frame < frames; frame++) logits[frame * classes + classes - 1] = 8
  for (const { at, symbol, logit = 12 } of marks)
    logits[Math.floor(at) * classes + mrzSymbols.indexOf(symbol)] = logit
  return logits
}

const placesOf = (text: string): Frame[] => [...text].map((symbol, i) => ({ at: 4 + i * distance, symbol }))
const framesOf = (text: string) => Math.ceil(text.length * distance) + 8
const textOf = (logits: Float32Array) =>
  decodeFrames(logits, distance)
    .map(({ symbol }) => symbol)
    .join('')

it('reads each character once, and repeated ones as often as they are printed', () => {
  const text = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<00011'
  expect(textOf(logitsOf(framesOf(text), placesOf(text)))).toBe(text)
})

it('gives the next best symbols with their probabilities, sorted', () => {
  const text = 'L898902C36UTO'
  const marks = placesOf(text)
  const doubtful = [
    { ...marks[5]!, logit: 10 },
    { ...marks[5]!, symbol: 'O', logit: 11 },
    { ...marks[5]!, symbol: 'Q', logit: 8 },
  ]
  const read = decodeFrames(
    logitsOf(framesOf(text), [...marks.filter((_, i) => i !== 5), ...doubtful]),
    distance,
  )[5]!
  expect(read.symbol).toBe('O')
  expect(read.others.map(({ symbol }) => symbol).slice(0, 2)).toEqual(['0', 'Q'])
  expect(read.probability).toBeGreaterThan(read.others[0]!.probability)
  const sum = read.others.reduce((total, { probability }) => total + probability, read.probability)
  expect(sum).toBeLessThanOrEqual(1 + 1e-6)
})

it('fills the gap of a character that was hardly seen, and says how doubtful it is', () => {
  const text = '7408122F1204159'
  const marks = placesOf(text)
  const weak = marks.map((mark, i) => (i === 6 ? { ...mark, logit: 6.5 } : mark))
  const read = decodeFrames(logitsOf(framesOf(text), weak), distance)
  expect(read.map(({ symbol }) => symbol).join('')).toBe(text)
  expect(read[6]!.probability).toBeLessThan(0.5)
  expect(read[5]!.probability).toBeGreaterThan(0.9)
})

it('reads repeated letters that run into each other', () => {
  const text = 'P<UTOERIKSSON<<ANNA'
  const marks = placesOf(text)
  const [first, second] = [marks[8]!, marks[9]!]
  const between = Array.from({ length: Math.floor(second.at) - Math.floor(first.at) - 1 }, (_, i) => ({
    at: Math.floor(first.at) + 1 + i,
    symbol: 'S',
  }))
  expect(textOf(logitsOf(framesOf(text), [...marks, ...between]))).toBe(text)
})

it('reads nothing where nothing is printed', () => {
  expect(decodeFrames(logitsOf(40, []), distance)).toEqual([])
})
