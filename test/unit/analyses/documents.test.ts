import { describe, expect, it } from 'vitest'
import { decideDocuments } from '../../../src/analyses/documents/decide.ts'
import { documents } from '../../../src/analyses/documents/documents.ts'
import { documentsView } from '../../../src/contract/full/analysis-views/documents-view.ts'
import type { DecidedMedium } from '../../../src/decide/analysis.ts'
import type { FieldName } from '../../../src/documents/fields.ts'
import type { DocumentReading } from '../../../src/documents/reading.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'
import { passportZone, printed, printedPage, readingOf } from '../../fixtures/document-readings.ts'
import { doubtful, readText, withCharacter } from '../../fixtures/mrz.ts'

const today = '2011-06-15'

function decide(
  readings: readonly (DocumentReading | null)[],
  {
    fields = null,
    on = today,
    face = true,
  }: { fields?: readonly FieldName[] | null; on?: string; face?: boolean } = {},
) {
  const media = readings.map(
    (document, index): DecidedMedium => ({
      id: `m${index}`,
      tags: ['photo_id'],
      assessment: { ...madeUpAssessment(), ...(face ? {} : { faces: [] }), document },
    }),
  )
  const parameters = { fieldsToCheck: fields, doublePageSpread: true }
  return { ...decideDocuments(media, parameters, on), parameters }
}

const decisionOf = (...given: Parameters<typeof decide>): string | number => {
  const { outcome } = decide(...given)
  return outcome.status === 'finished' ? outcome.decision : outcome.failure.code
}

const page = printedPage({ Surname: 'ERIKSSON', 'Given names': 'ANNA MARIA', 'Date of birth': '12 AUG 1974' })

describe('the media of an analysis of documents', () => {
  const selfie = { tags: ['photo_selfie'] }
  const clip = { tags: ['video_selfie_blank', 'orientation_portrait'] }
  const front = { tags: ['photo_id', 'photo_id_front'] }
  const back = { tags: ['photo_id_back'] }
  const bare = { tags: [] }
  const all = [selfie, clip, front, bare, back]

  it('are those it names, else those tagged as documents, else those without tags', () => {
    expect(documents.select(all, [selfie])).toEqual([selfie])
    expect(documents.select(all, null)).toEqual([front, back])
    expect(documents.select([selfie, bare, clip], null)).toEqual([bare])
  })

  it('are missing: it cannot start', () => {
    for (const media of [[], [selfie], [selfie, clip]])
      expect(() => documents.select(media, null)).toThrow("Can't start analysis without media")
    expect(() => documents.select(all, [])).toThrow("Can't start analysis without media")
  })

  it('are all but clips if tags do not matter, a photo with the tag of a clip among them', () => {
    const rules = { documentTags: false, isClip: (medium: { tags: string[] }) => medium === clip }
    const photo = { tags: clip.tags }
    expect(documents.select([...all, photo], null, rules)).toEqual([selfie, front, bare, back, photo])
    expect(() => documents.select([clip], null, rules)).toThrow('without media')
  })
})

describe('a document', () => {
  it('passes if its check digits hold and nothing is doubtful', () => {
    expect(decisionOf([readingOf({ zones: [passportZone] })])).toBe('SUCCESS')
    expect(decisionOf([readingOf({ zones: [passportZone], lines: page })])).toBe('SUCCESS')
  })

  it('is declined if it has expired, is forged, or contradicts itself', () => {
    expect(decisionOf([readingOf({ zones: [passportZone] })], { on: '2026-01-01' })).toBe('DECLINED')
    const forged = [passportZone[0], passportZone[1].replace('7408122', '8408122')]
    expect(decisionOf([readingOf({ zones: [forged] })])).toBe('DECLINED')
    const other = printedPage({ Surname: 'LINDQVIST' })
    expect(decisionOf([readingOf({ zones: [passportZone], lines: other })])).toBe('DECLINED')
  })

  it('is for an operator if the page has another name than the zone, also where Cyrillic is printed', () => {
    const zone = [passportZone[0].replaceAll('UTO', 'RUS').replace('<ANNA<MARIA', '<TAMARA<<<<'), '']
    zone[1] = passportZone[1].replace('UTO', 'RUS')
    const decisions = (text: string) =>
      decisionOf([readingOf({ zones: [zone], lines: printedPage({ 'Given names': text }) })])
    expect(decisions('TAMILA')).toBe('OPERATOR_REQUIRED')
    expect(decisions('TAMAPA')).toBe('SUCCESS')
  })

  it('is for an operator if it may have expired', () => {
    // The zone of this card has no expiry.
    const zones = [['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4']]
    const decisions = (confidence: number) => {
      const lines = printedPage({ 'Date of expiry': '15.04.2010' }).map((line) => ({ ...line, confidence }))
      return decisionOf([readingOf({ zones, lines })], { fields: ['expiry_date'] })
    }
    expect(decisions(0.85)).toBe('OPERATOR_REQUIRED')
    expect(decisions(0.95)).toBe('DECLINED')
  })

  it('is declined with the reason, which names fields but not what they say', () => {
    const reasonOf = (...given: Parameters<typeof decide>) =>
      (decide(...given).outcome as { reason?: string }).reason
    const zone = readingOf({ zones: [passportZone], lines: printedPage({ Surname: 'LINDQVIST', Sex: 'M' }) })
    expect(reasonOf([zone])).toBe(
      'The document is declined: page and machine-readable zone differ (surname, sex)',
    )
    expect(reasonOf([zone], { on: '2026-01-01', fields: ['sex'] })).toBe(
      'The document is declined: page and machine-readable zone differ (sex)',
    )
    expect(reasonOf([readingOf({ zones: [passportZone] })], { on: '2026-01-01' })).toBe(
      'The document is declined: it has expired',
    )
    const forged = [passportZone[0], passportZone[1].replace('7408122', '8408122')]
    expect(reasonOf([readingOf({ zones: [forged] })], { on: '2026-01-01' })).toBe(
      'The document is declined: check digits do not hold; it has expired',
    )
    const impossible = readingOf({
      zones: [passportZone],
      lines: printedPage({ Surname: 'LINDQVIST', 'Date of birth': '85/03/1915' }),
    })
    expect(reasonOf([impossible])).toBe(
      'The document is declined: printed dates that cannot be (birth date); page and machine-readable zone differ (surname)',
    )
    const backwards = readingOf({
      zones: [passportZone],
      lines: printedPage({ 'Date of issue': '15 MAY 1970' }),
    })
    for (const fields of [null, ['birth_date'] as const])
      expect(reasonOf([backwards], { fields })).toBe(
        'The document is declined: its dates contradict each other',
      )
    expect(decide([readingOf({ zones: [passportZone] })]).outcome).not.toHaveProperty('reason')
  })

  it('is for an operator if it is readable but doubtful', () => {
    const doubt = withCharacter(readText(...passportZone), 0, 6, doubtful({ R: 0.55, K: 0.45 }))
    expect(decisionOf([readingOf({ zones: [doubt] })])).toBe('OPERATOR_REQUIRED')
    const doubtfulDigit = withCharacter(readText(...passportZone), 1, 14, doubtful({ '8': 0.5, '9': 0.3 }))
    expect(decisionOf([readingOf({ zones: [doubtfulDigit] })])).toBe('OPERATOR_REQUIRED')
  })

  it('without a zone never passes by itself', () => {
    expect(decisionOf([readingOf({ lines: page })])).toBe('OPERATOR_REQUIRED')
    expect(decisionOf([readingOf({ lines: page })], { fields: ['surname'] })).toBe('OPERATOR_REQUIRED')
  })

  it('with a zone that does not tell whose it is never passes by itself', () => {
    const zones = [['D1NLD15094962111659VW87Z78NB84']]
    expect(decisionOf([readingOf({ zones })])).toBe('OPERATOR_REQUIRED')
    expect(decisionOf([readingOf({ zones, lines: page })])).toBe('OPERATOR_REQUIRED')
    expect(decide([readingOf({ zones })]).evidence.document).toMatchObject({
      ...{ kind: 'driver_licence', issuingState: 'NLD', validity: { checkDigits: 'passed' } },
    })
  })

  it('is decided by the fields that are to be checked', () => {
    const late = { on: '2026-01-01' }
    const reading = [readingOf({ zones: [passportZone] })]
    expect(decisionOf(reading, { ...late, fields: ['surname', 'birth_date'] })).toBe('SUCCESS')
    expect(decisionOf(reading, { ...late, fields: ['expiry_date'] })).toBe('DECLINED')
    expect(decisionOf(reading, { fields: ['surname', 'birth_place'] })).toBe('OPERATOR_REQUIRED')
    const { evidence } = decide(reading, { fields: ['birth_place'] })
    expect(evidence.document.fields).toContainEqual({
      name: 'birth_place',
      visual: null,
      visualConfidence: null,
      mrz: null,
      mrzConfidence: null,
      result: 'unsure',
    })
  })

  it('is none if it is a letter, a form or a ticket about a person', () => {
    const letter = [
      'Dear Mr. Smith, thank you for your letter. We need your date of birth,',
      'your nationality and the number of your passport. Please send us',
      'a copy of your identity card. Your date of birth is noted as 12.08.1974',
      'and the passport is valid until 15.04.2032. We thank you for this.',
    ].map((text, row) => printed(text, row))
    const form = printedPage({
      Name: 'JOHN SMITH',
      'Date of birth': '12.08.1974',
      Address: '12 HARBOUR STREET',
    })
    const invoice = printedPage({ Name: 'JOHN SMITH', 'Date of issue': '12.03.2024', 'ID No': '20240817' })
    const name = printedPage({ Name: 'JOHN SMITH' })
    for (const lines of [
      letter,
      form,
      invoice,
      [...name, printed('Paid with Visa', 40)],
      [...name, printed('BOARDING PASS', 40)],
      [...form, ...letter.map((line, i) => ({ ...line, place: printed('', 20 + i).place }))],
    ]) {
      expect(decisionOf([readingOf({ lines })])).toBe(3010)
      const { evidence } = decide([readingOf({ lines }), readingOf({ lines: [] })])
      expect(evidence).toMatchObject({
        document: { fields: [], kind: null },
        media: [{ fields: [] }, { fields: [] }],
      })
    }
  })

  it('is one without a zone if it names itself, or has the fields and the portrait of one', () => {
    const names = { Surname: 'SMITH', 'Given names': 'JOHN DAVID' }
    const birth = { 'Date of birth': '12.08.1974' }
    const decisions = (lines: ReturnType<typeof printedPage>, face = false) =>
      decisionOf([readingOf({ lines })], { face })
    expect(decisions([printed('IDENTITY CARD', 40), ...printedPage(names)])).toBe('OPERATOR_REQUIRED')
    expect(decisions([printed('PASS', 40), ...printedPage(names)])).toBe(3010)
    expect(decisions([printed('PASS', 40), ...printedPage({ ...names, ...birth })])).toBe('OPERATOR_REQUIRED')
    expect(decisions(printedPage({ ...names, 'Document No': 'AB123456' }))).toBe('OPERATOR_REQUIRED')
    expect(decisions(printedPage({ ...names, ...birth }))).toBe(3010)
    expect(decisions(printedPage({ ...names, ...birth }), true)).toBe('OPERATOR_REQUIRED')
  })

  it('has a back with sentences, which are left out', () => {
    const front = readingOf({
      lines: [
        printed('IDENTITY CARD', 40),
        ...printedPage({ Surname: 'SMITH', 'Given names': 'JOHN DAVID' }),
      ],
    })
    const back = readingOf({
      lines: [
        'This card is the property of the state of Utopia and must be returned to it',
        'if it was found: please send it to the office that is named on the front',
      ]
        .map((text, row) => printed(text, row))
        .concat(printed('Surname', 10), printed('LINDQVIST', 11), printed('VISA', 20)),
    })
    expect(decisionOf([back])).toBe(3010)
    for (const readings of [
      [front, back],
      [back, front],
    ]) {
      expect(decisionOf(readings)).toBe('OPERATOR_REQUIRED')
      expect(decide(readings).evidence.document).toMatchObject({
        kind: 'id_card',
        fields: [
          { name: 'surname', visual: 'SMITH' },
          { name: 'given_names', visual: 'JOHN DAVID' },
        ],
      })
    }
    // Beside a zone nothing is left out: it may contradict it.
    expect(decisionOf([readingOf({ zones: [passportZone] }), back])).toBe('DECLINED')
  })

  it('that is none fails the analysis, with the reason', () => {
    expect(decisionOf([readingOf({ lines: [] })])).toBe(3010)
    expect(decisionOf([readingOf({ lines: null })])).toBe(3010)
    expect(decisionOf([null])).toBe(3010)
    expect(decisionOf([readingOf({ lines: [] })], { fields: ['surname'] })).toBe(3010)
    expect(decisionOf([readingOf({ zones: [['P<UTOERIKSSON', 'L898902C36UTO']] })])).toBe(3011)
    expect(decide([null]).outcome).toMatchObject({ failure: { mediumId: 'm0' } })
    expect(decide([null, null]).outcome).toMatchObject({ failure: { mediumId: null } })
  })
})

describe('the answer', () => {
  const toSubject = (...given: Parameters<typeof decide>) => {
    const { evidence, parameters } = decide(...given)
    return { type: 'documents', parameters, evidence } as const
  }
  const options = { showReplay: false, showLiveness: false, pictures: true, variant: 'full' } as const

  it('has the fields with both sources and a status', () => {
    const subject = toSubject([readingOf({ zones: [passportZone], lines: page })])
    const results = documentsView.results(subject)
    expect(results).toMatchObject({
      text_fields: expect.arrayContaining([
        expect.objectContaining({
          field_name: 'Birth Date',
          visual: '1974-08-12',
          mrz: '1974-08-12',
          status: 'SUCCESS',
          finding: 'agrees',
        }),
      ]),
      document_kind: 'passport',
      document_format: 'TD3',
      issuing_state: 'UTO',
      mrz_lines: passportZone,
      validity: { check_digits: 'SUCCESS', expiry: 'SUCCESS', agreement: 'SUCCESS' },
    })
    const medium = documentsView.mediumResults(subject, 'm0', { ...options, linkTo: (file) => file })
    expect(medium).toEqual({ text_fields: (results as { text_fields: unknown }).text_fields })
    expect(documentsView.confs(subject)).toEqual({ fields_to_check: null, double_page_spread: true })
  })

  it('has the fields of each of several media', () => {
    const subject = toSubject([readingOf({ lines: page }), readingOf({ zones: [passportZone] })])
    const fieldsOf = (id: string) =>
      documentsView.mediumResults(subject, id, { ...options, linkTo: (file) => file }) as {
        text_fields: { field_name: string; mrz: string | null }[]
      }
    expect(fieldsOf('m0').text_fields.every(({ mrz }) => mrz === null)).toBe(true)
    expect(fieldsOf('m1').text_fields.every(({ mrz }) => mrz !== null)).toBe(true)
    expect(fieldsOf('m2')).toBeNull()
  })

  it('is null until the analysis has run', () => {
    const subject = { ...toSubject([null]), evidence: null }
    expect(documentsView.results(subject)).toBeNull()
    expect(documentsView.mediumResults(subject, 'm0', { ...options, linkTo: (file) => file })).toBeNull()
    expect(documentsView.facts!(subject)).toEqual({})
  })

  it('of a report says what differs', () => {
    const lines = printedPage({ Surname: 'LINDQVIST' })
    expect(documentsView.facts!(toSubject([readingOf({ zones: [passportZone], lines })]))).toMatchObject({
      Surname: 'page LINDQVIST, machine-readable zone ERIKSSON (contradicts)',
      'Document Number': 'L898902C3 (not compared)',
      check_digits: 'SUCCESS',
    })
  })
})
