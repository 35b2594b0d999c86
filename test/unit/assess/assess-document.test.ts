import { describe, expect, it } from 'vitest'
import { type PrintOptions, printZone } from '../../../scripts/pages/printed-zones.ts'
import { readDocument } from '../../../src/assess/assess-document.ts'
import { decodeZone } from '../../../src/documents/mrz/decode-zone.ts'
import type { MrzReading } from '../../../src/documents/reading.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { assessPhoto, documents, lazyEngine } from '../../fixtures/networks.ts'
import { portrait, portraitImage } from '../../fixtures/portraits.ts'

const passport = [
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
  'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
]
const card = [
  'I<UTOD231458907<<<<<<<<<<<<<<<',
  '7408122F1204159UTO<<<<<<<<<<<6',
  'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
]

const read = (image: RgbaImage) => readDocument({ lazyEngine, documents }, toPyramid(image), { page: false })
const textOf = ({ lines }: MrzReading) =>
  lines.map(({ characters }) => characters.map(({ symbol }) => symbol).join(''))
const page: PrintOptions = { width: 720, pitch: 13 }

describe('a machine-readable zone', () => {
  it.each([
    ['upright', {}],
    ['upside down', { turn: 180 }],
    ['turned and tilted', { turn: 137, perspective: 0.12, height: 720 }],
    ['on its side', { turn: 90, height: 720 }],
  ])('is read %s', async (_, change) => {
    const { zones } = await read(printZone(passport, { ...page, ...change }))
    expect(zones.map(textOf)).toEqual([passport])
    expect(zones[0]!.isMirrored).toBe(false)
    expect(decodeZone(zones[0]!)).toMatchObject({ format: 'TD3', lines: passport, isProven: true })
  })

  it('is read in a mirror, and marked', async () => {
    const { zones } = await read(printZone(passport, { ...page, isMirrored: true }))
    expect(zones.map(textOf)).toEqual([passport])
    expect(zones[0]!.isMirrored).toBe(true)
  })

  it('of three lines is read, with its place', async () => {
    const { zones } = await read(printZone(card, { ...page, at: [0.5, 0.7] }))
    expect(zones.map(textOf)).toEqual([card])
    const [topLeft, topRight, bottomRight] = zones[0]!.place
    expect(Math.abs(topRight.x - topLeft.x - 30 * page.pitch)).toBeLessThan(page.pitch)
    expect(Math.abs((topLeft.y + bottomRight.y) / 2 - 0.7 * 540)).toBeLessThan(page.pitch)
  })

  it.each([
    ['with fillers', 'D1FRA13AA000026181231MARTIN<<9'],
    ['without fillers', 'D1NLD15094962111659VW87Z78NB84'],
  ])('of one row is read %s', async (_, row) => {
    const { zones } = await read(printZone([row], { ...page, at: [0.5, 0.8] }))
    expect(zones.map(textOf)).toEqual([[row]])
    expect(decodeZone(zones[0]!)).toMatchObject({ isProven: true })
  })

  it('of three lines is whole where a name begins as a zone of one row', async () => {
    const named = [card[0]!, card[1]!, 'DIMITROV<<IVAN<<<<<<<<<<<<<<<<']
    expect((await read(printZone(named, page))).zones.map(textOf)).toEqual([named])
  })

  it('is read in a small picture', async () => {
    const { zones } = await read(printZone(passport, { width: 330, pitch: 7 }))
    expect(decodeZone(zones[0]!)?.lines).toEqual(passport)
  })
})

it('reads several documents in one picture, the largest first', async () => {
  const size = { width: 900, height: 900 }
  const one = printZone(passport, { ...size, pitch: 14, at: [0.5, 0.2] })
  const both = printZone(card, { ...size, pitch: 13, turn: 90, at: [0.3, 0.65] }, one)
  const { zones } = await read(both)
  expect(zones.map(textOf)).toEqual([passport, card])
})

it('finds nothing on blank paper, in a portrait, or in a tiny picture', async () => {
  expect((await read(printZone([''], page))).zones).toEqual([])
  expect((await read(await portraitImage('redhead'))).zones).toEqual([])
  expect((await read(printZone(['A'], { width: 8, pitch: 3 }))).zones).toEqual([])
})

it('takes grey pictures for copies, and says nothing of pictures in colour without a zone', async () => {
  const paper = [220, 220, 220] as const
  expect((await read(printZone(passport, { ...page, paper }))).hints.isCopy).toBe(true)
  expect((await read(await portraitImage('redhead'))).hints.isCopy).toBeNull()
})

it('is part of an assessment only if it was asked for', async () => {
  const wanted = { faces: false, template: false, pad: false, bestShot: false }
  const bytes = await portrait('redhead')
  expect(await assessPhoto(bytes, wanted)).not.toHaveProperty('document')
  const { document } = await assessPhoto(bytes, { ...wanted, document: { page: false } })
  expect(document).toMatchObject({ zones: [], lines: null })
})
