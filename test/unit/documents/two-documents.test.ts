import { describe, expect, it } from 'vitest'
import { decideDocuments } from '../../../src/analyses/documents/decide.ts'
import type {
  DocumentReading,
  MrzReading,
  Point,
  Quad,
  TextLineReading,
} from '../../../src/documents/reading.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'
import { printed, printedPage, readingOf } from '../../fixtures/document-readings.ts'
import { makeCard, makePassport } from '../../fixtures/made-up-zones.ts'
import { readText } from '../../fixtures/mrz.ts'

const today = '2026-06-15'

function decide(readings: readonly DocumentReading[], doublePageSpread = true) {
  const media = readings.map((document, index) => ({
    ...{ id: `m${index}`, tags: ['photo_id'], assessment: { ...madeUpAssessment(), document } },
  }))
  const { outcome, evidence } = decideDocuments(media, { fieldsToCheck: null, doublePageSpread }, today)
  const { fields, validity } = evidence.document
  return {
    decision: outcome.status === 'finished' ? outcome.decision : outcome.failure.code,
    single: validity.singleDocument,
    byName: Object.fromEntries(fields.map(({ name, ...field }) => [name, field])),
  }
}

const anna = makePassport()
const annaPage = { Surname: 'ERIKSSON', 'Given names': 'ANNA MARIA', 'Date of birth': '12 AUG 1974' }
const eva = makePassport({ number: 'X99', birth: '800202', names: 'LINDQVIST<<EVA' })
const evaPage = { Surname: 'LINDQVIST', 'Given names': 'EVA', 'Date of birth': '02 FEB 1980' }

type Move = (point: Point) => Point
const move =
  (dx: number, dy: number): Move =>
  ({ x, y }) => ({ x: x + dx, y: y + dy })
const turn: Move = ({ x, y }) => ({ x: 900 - x, y: 700 - y })
const place = (quad: Quad, to: Move): Quad => quad.map(to) as unknown as Quad

/** A page of 880 × 680 pixels somewhere in a picture. */
function showPage(zone: readonly string[] | null, page: Record<string, string>, to: Move) {
  const lines = printedPage(page).map((line): TextLineReading => ({ ...line, place: place(line.place, to) }))
  const read = zone && readText(...zone)
  const zones: MrzReading[] = read ? [{ ...read, place: place(read.place, to) }] : []
  return { zones, lines }
}

const inOnePicture = (...pages: ReturnType<typeof showPage>[]): DocumentReading =>
  readingOf({ zones: pages.flatMap(({ zones }) => zones), lines: pages.flatMap(({ lines }) => lines) })

describe('two documents in one picture', () => {
  it.each([
    ['one above the other', move(0, 800)],
    ['close above each other', move(0, 720)],
    ['side by side', move(1000, 0)],
    ['upside down', (point: Point) => move(0, 800)(turn(point))],
  ])('are for an operator %s', (_, to) => {
    for (const pages of [
      [showPage(anna, annaPage, move(0, 0)), showPage(eva, evaPage, to)],
      [showPage(eva, evaPage, to), showPage(anna, annaPage, move(0, 0))],
    ])
      for (const isSpread of [true, false]) {
        const { decision, single, byName } = decide([inOnePicture(...pages)], isSpread)
        expect([decision, single]).toEqual(['OPERATOR_REQUIRED', 'unsure'])
        // The fields are those of one of them.
        expect(byName.surname!.visual).toBe(byName.surname!.mrz)
        expect(byName.birth_date!.visual).toBe(byName.birth_date!.mrz)
        expect(Object.values(byName).some(({ result }) => result === 'failed')).toBe(false)
      }
  })

  it('are for an operator also if the zone of one of them was not found', () => {
    const other = showPage(null, evaPage, move(0, 800))
    const both = decide([inOnePicture(showPage(anna, annaPage, move(0, 0)), other)])
    expect([both.decision, both.single]).toEqual(['OPERATOR_REQUIRED', 'unsure'])
    expect(both.byName.surname).toMatchObject({ visual: 'ERIKSSON', result: 'unsure' })
    // Nothing is printed beside the zone that was found.
    const bare = decide([inOnePicture(showPage(anna, {}, move(0, 0)), other)])
    expect([bare.decision, bare.single]).toEqual(['OPERATOR_REQUIRED', 'unsure'])
    expect(decide([inOnePicture(showPage(anna, annaPage, move(0, 0)), other)], false)).toMatchObject({
      ...{ decision: 'SUCCESS', single: 'passed' },
    })
  })

  it('are none if something was taken for a zone that cannot be read', () => {
    const page = showPage(anna, annaPage, move(0, 0))
    const print = { ...readText('ABCDEFGH'), place: place(page.zones[0]!.place, move(0, -1400)) }
    for (const isSpread of [true, false])
      expect(decide([readingOf({ ...page, zones: [print, ...page.zones] })], isSpread)).toMatchObject({
        ...{ decision: 'SUCCESS', single: 'passed', byName: { surname: { visual: 'ERIKSSON' } } },
      })
  })

  it('are none if the page with the zone contradicts it, or the page opposite has more fields', () => {
    const forged = { ...annaPage, Surname: 'LINDQVIST' }
    const opposite = showPage(null, { Authority: 'CITY OF ZENITH' }, move(0, -700))
    expect(decide([inOnePicture(showPage(anna, forged, move(0, 0)), opposite)])).toMatchObject({
      ...{ decision: 'DECLINED', single: null },
    })
    const spread = decide([inOnePicture(showPage(anna, annaPage, move(0, 0)), opposite)])
    expect(spread).toMatchObject({ decision: 'SUCCESS', single: 'passed' })
    expect(spread.byName.authority).toMatchObject({ visual: 'CITY OF ZENITH', result: 'passed' })
  })
})

describe('pictures of several documents', () => {
  it.each([
    [
      'personal number',
      { 'Personal number': '111222' },
      { 'Personal number': '999888' },
      'OPERATOR_REQUIRED',
    ],
    // What contradicts the zone beside fields that agree with it is declined.
    ['sex', {}, { Sex: 'M' }, 'DECLINED'],
  ])(
    'are not of a single one if only the %s differs, as that of relatives',
    (_, ofAnna, ofOther, decision) => {
      const page = inOnePicture(showPage(anna, { ...annaPage, ...ofAnna }, move(0, 0)))
      const other = front({ Surname: 'ERIKSSON', ...ofOther })
      for (const readings of [
        [page, other],
        [other, page],
      ])
        expect(decide(readings)).toMatchObject({ decision, single: 'unsure' })
    },
  )

  it('are of a single one if they agree in it, as far as it can be read', () => {
    const page = inOnePicture(showPage(anna, { ...annaPage, 'Personal number': '1112220' }, move(0, 0)))
    for (const number of ['111 222 0', '111222O', '19111222-0'])
      expect(
        decide([page, front({ Surname: 'ERIKSSON', Sex: 'F', 'Personal number': number })]),
      ).toMatchObject({
        single: 'passed',
      })
  })

  it('are of two people if neither has a zone and their personal numbers differ', () => {
    const numbers = ['111222', '999888'].map((number) => front({ 'Personal number': number }))
    expect(decide(numbers)).toMatchObject({ single: 'unsure' })
  })

  const front = (page: Record<string, string>) =>
    readingOf({ lines: [printed('IDENTITY CARD', 24), ...printedPage(page)] })
  const passport = inOnePicture(showPage(anna, annaPage, move(0, 0)))

  it('are not of a single one if they name two people', () => {
    for (const readings of [
      [passport, front(evaPage)],
      [front(evaPage), passport],
    ])
      expect(decide(readings)).toMatchObject({ decision: 'OPERATOR_REQUIRED', single: 'unsure' })
    // Nothing agrees with the zone: as a card whose sides contradict each other.
    const bare = readingOf({ zones: [anna] })
    expect(decide([bare, front(evaPage)])).toMatchObject({ decision: 'DECLINED', single: 'unsure' })
    const blurred = front(evaPage).lines!.map((line) => ({ ...line, confidence: 0.8 }))
    expect(decide([bare, readingOf({ lines: blurred })])).toMatchObject({
      ...{ decision: 'OPERATOR_REQUIRED', single: 'unsure' },
    })
    expect(decide([front(annaPage), front(evaPage)]).single).toBe('unsure')
  })

  it('are not of a single one if the zones are of two: each page belongs to its zone', () => {
    const { decision, single, byName } = decide([
      readingOf({ zones: [anna] }),
      inOnePicture(
        showPage(makeCard({ birth: '800202', number: 'X9', names: 'LINDQVIST<<EVA' }), evaPage, move(0, 0)),
      ),
    ])
    expect([decision, single]).toEqual(['OPERATOR_REQUIRED', 'unsure'])
    expect(byName.surname).toMatchObject({ visual: null, mrz: 'ERIKSSON', result: 'passed' })
  })

  it('are of a single one if they agree, and of nobody knows which if one says nothing', () => {
    const back = readingOf({ zones: [makeCard()], lines: [] })
    expect(decide([front(annaPage), back])).toMatchObject({ decision: 'SUCCESS', single: 'passed' })
    for (const silent of [readingOf({ lines: [] }), readingOf({}), front({ 'Place of birth': 'ZENITH' })])
      expect(decide([passport, silent]).single).toBeNull()
    expect(decide([front(annaPage)]).single).toBeNull()
    expect(decide([front(annaPage), front(annaPage)]).single).toBeNull()
  })
})
