import { describe, expect, it } from 'vitest'
import { decideDocuments } from '../../../src/analyses/documents/decide.ts'
import { decideIdentification, type Hit } from '../../../src/analyses/identification/decide.ts'
import { decideLiveness, type LivenessParameters } from '../../../src/analyses/liveness/decide.ts'
import type { LivenessAnalysis } from '../../../src/analyses/liveness/liveness.ts'
import { decideVerification } from '../../../src/analyses/verification/decide.ts'
import type { MovementFindings } from '../../../src/assess/assessment.ts'
import type { DecidedMedium } from '../../../src/decide/analysis.ts'
import type { CaptureFacts } from '../../../src/decide/capture.ts'
import { type ReasonCode, reasonCodes, reasonTexts } from '../../../src/decide/reasons.ts'
import type { ComparedMedium } from '../../../src/decide/same-picture.ts'
import type { FieldName } from '../../../src/documents/fields.ts'
import type { DocumentReading } from '../../../src/documents/reading.ts'
import { type AnalysisOutcome, type AnalysisRecord, abandonments } from '../../../src/records/analysis.ts'
import { explainAnalysis } from '../../../src/records/explain-analysis.ts'
import type { SandboxName } from '../../../src/records/sandbox.ts'
import { sandboxOutcome } from '../../../src/records/stage-analysis.ts'
import type { SampleQuality } from '../../../src/vision/quality.ts'
import { axisTemplate, type MadeUp, madeUpAssessment, madeUpClip } from '../../fixtures/assessments.ts'
import { passportZone, printed, printedPage, readingOf } from '../../fixtures/document-readings.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { doubtful, readText, withCharacter } from '../../fixtures/mrz.ts'
import { livenessAnalysis } from '../../fixtures/reports.ts'
import { madeCohort } from '../../fixtures/templates.ts'

/** A record of an analysis that has run. */
const recordOf = (type: string, decided: object): AnalysisRecord =>
  ({ ...livenessAnalysis(1, []), type, ...decided }) as AnalysisRecord

const liveness = (
  media: readonly DecidedMedium[],
  change: Partial<LivenessParameters> = {},
): AnalysisRecord => {
  const parameters = { ...usualLiveness, ...change }
  const { outcome, media: results, worstAttack } = decideLiveness(media, parameters)
  return recordOf('liveness', { outcome, parameters, evidence: { results, worstAttack } })
}
const photo = (made: MadeUp, more: Partial<DecidedMedium> = {}): DecidedMedium => ({
  ...{ id: 'a', tags: [], assessment: madeUpAssessment({ attack: 0.1, ...made }) },
  ...more,
})
const clip = (
  change: Partial<typeof madeUpClip>,
  made: MadeUp = {},
  more: Partial<DecidedMedium> = {},
): DecidedMedium => {
  const medium = photo(made, more)
  const identity = { frames: 3, facing: 3, agreeing: 3, distance: -9 }
  return { ...medium, assessment: { ...medium.assessment, clip: { ...madeUpClip, identity, ...change } } }
}
const moving = (change: Partial<Extract<MovementFindings, { status: 'measured' }>>) => ({
  movement: { ...madeUpClip.movement, ...change } as MovementFindings,
})
const poor = (quality: Partial<SampleQuality>) => liveness([photo({ quality })], { gate: 'refuse' })

const capture: CaptureFacts = {
  ...{
    challenge: ['smile'],
    steps: [{ gesture: 'smile', fromS: 0, toS: 2 }],
    ageS: 20,
    track: {},
    device: {},
  },
  frames: { count: 60, spanS: 2, backSteps: 0, repeatedShare: 0 },
}
const challenged = (change: Partial<CaptureFacts> | null) => {
  const sent = change === null ? {} : { capture: { ...capture, ...change }, durationS: 2 }
  return liveness([clip({}, {}, sent)], { challengeRequired: true })
}

const cohort = madeCohort(
  'axes',
  Array.from({ length: 60 }, (_, i) => axisTemplate(i + 40)),
)
const face = (id: string, axis: number, lean = 0): ComparedMedium => ({
  ...photo({ vector: axisTemplate(axis, lean) }, { id }),
  md5: id,
})
const verification = (media: readonly ComparedMedium[], band = { min: 0.85, max: 0.85 }) => {
  const parameters = { band, gate: 'record' } as const
  const { outcome, pairs } = decideVerification(cohort, media, parameters)
  return recordOf('verification', { outcome, parameters, evidence: { pairs, cohortId: 'c' } })
}

const search = (scores: readonly number[], isComplete = true) => {
  const band = { min: 0.75, max: 0.85 }
  const hits = scores.map((score) => ({ score }) as Hit)
  const found = [{ mediumId: 'a', hits }]
  const outcome = decideIdentification(found, isComplete, band)
  return recordOf('identification', { outcome, parameters: { band }, evidence: { found, isComplete } })
}

const documents = (
  readings: readonly (DocumentReading | null)[],
  { on = '2011-06-15', fields = null }: { on?: string; fields?: readonly FieldName[] | null } = {},
) => {
  const media = readings.map((document, index) => ({
    ...{ id: `m${index}`, tags: ['photo_id'], assessment: { ...madeUpAssessment(), document } },
  }))
  const parameters = { fieldsToCheck: fields, doublePageSpread: true }
  return recordOf('documents', { ...decideDocuments(media, parameters, on), parameters })
}
const zone = (change: (line: string) => string = (line) => line) =>
  readingOf({ zones: [[passportZone[0], change(passportZone[1])]] })
const passport = (page: Readonly<Record<string, string>>, confidence = 0.97) =>
  readingOf({
    zones: [passportZone],
    lines: printedPage(page).map((line) => ({ ...line, confidence })),
  })
const card = (page: Readonly<Record<string, string>>) =>
  readingOf({ lines: [printed('IDENTITY CARD', 40), ...printedPage({ Surname: 'SMITH', ...page })] })

const abandoned = (why: keyof typeof abandonments, type = 'liveness') =>
  recordOf(type, { outcome: { status: 'failed', failure: { ...abandonments[why], mediumId: null } } })

/** Analyses, by the first reason that each gives. */
const analyses: readonly [code: ReasonCode, analysis: AnalysisRecord][] = [
  ['identity_changes', liveness([clip({ identity: { frames: 3, facing: 3, agreeing: 3, distance: 9 } })])],
  ['picture_moved', liveness([clip(moving({ own: 0.01, view: 1 }))])],
  ['picture_animated', liveness([clip(moving({ recurrence: 0.01 }))])],
  ['picture_bent', liveness([clip(moving({ remainder: 0.01 }))])],
  ['pictures_blended', liveness([clip(moving({ blendRemainder: 0.1 }))])],
  ['light_moved', liveness([clip(moving({ light: 0.3 }))])],
  ['picture_held', liveness([clip(moving({ own: 0.01, view: 0.05 }), { attack: 0.9 })])],
  ['screen_suspected', liveness([photo({ attack: 0.4 })], { thresholdReplay: 0.1 })],
  ['print_or_screen', liveness([photo({ attack: 0.9 })])],
  ['movement_doubtful', liveness([clip(moving({ own: 0.17, view: 1 }))], { thresholdLiveness: 0.999 })],
  ['attack_suspected', { ...liveness([photo({ attack: 0.9 })]), evidence: null } as AnalysisRecord],
  ['gesture_missing', liveness([photo({}, { tags: ['video_selfie_left'] })], { gestureRequired: true })],
  ['challenge_contradicted', challenged({ ageS: -9 })],
  ['challenge_missed', challenged({ challenge: ['left'], steps: [{ gesture: 'left', fromS: 0, toS: 2 }] })],
  ['no_challenge', challenged(null)],
  [
    'challenge_unclear',
    challenged({
      challenge: [{ type: 'approach', from: 0.3, to: 0.6 }],
      steps: [{ gesture: 'approach', fromS: 0, toS: 2 }],
    }),
  ],
  ['different_people', verification([face('a', 0), face('b', 20)])],
  ['similarity_uncertain', verification([face('a', 0), face('b', 20)], { min: 0, max: 0.85 })],
  ['person_listed', search([0.9, 0.8])],
  ['similar_person_listed', search([0.8], false)],
  ['collection_incomplete', search([], false)],
  ['check_digits_wrong', documents([zone((line) => line.replace('7408122', '8408122'))])],
  ['document_expired', documents([zone()], { on: '2026-01-01' })],
  ['dates_contradict', documents([passport({ 'Date of issue': '12.08.1970' })])],
  [
    'printed_dates_impossible',
    documents([card({ 'Date of birth': '99.99.1974', 'Document No': 'AB123456' })]),
  ],
  ['fields_contradict', documents([passport({ Surname: 'LINDQVIST' })])],
  [
    'document_contradicts',
    { ...documents([passport({ Surname: 'LINDQVIST' })]), evidence: null } as AnalysisRecord,
  ],
  [
    'several_documents',
    documents([
      zone(),
      readingOf({
        zones: [['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4']],
      }),
    ]),
  ],
  ['document_unproven', documents([card({ 'Given names': 'JOHN DAVID', 'Document No': 'AB123456' })])],
  ['field_unread', documents([zone()], { fields: ['address'] })],
  ['no_face', liveness([photo({ faceHeights: [] })])],
  ['several_faces', liveness([photo({ faceHeights: [300, 290] })])],
  ['same_picture', verification([face('a', 0), { ...face('b', 0, 0.1), md5: 'a' }])],
  ['photo_not_clip', liveness([photo({})], { movementRequired: true })],
  ['face_still', liveness([clip(moving({ own: 0.01, uncut: 0.01 }))], { movementRequired: true })],
  ['turned_away', liveness([clip({ framesTurned: 11 })])],
  ['face_rarely_seen', liveness([clip({ framesWithoutFace: 11 })])],
  ['too_few_frames', liveness([clip({ frames: 4 })])],
  ['face_small_in_clip', liveness([clip({ movement: { status: 'too_small', eyesApart: 20 } })])],
  [
    'too_small_to_compare',
    verification([face('a', 0), { ...photo({ template: { status: 'too_small' } }), md5: 'b' }]),
  ],
  ['small', poor({ faceSide: 50 })],
  ['dark', poor({ brightness: 0.1 })],
  ['bright', poor({ overexposed: 0.5 })],
  ['grey', poor({ colour: 0 })],
  ['compressed', poor({ blockiness: 9 })],
  ['soft', poor({ sharpness: 0.001 })],
  ['noisy', poor({ noise: 9 })],
  ['tight', poor({ surroundings: 1 })],
  ['no_document', documents([readingOf({ lines: [] })])],
  ['no_zone', documents([readingOf({ lines: null })])],
  ['clip_not_photo', documents([null])],
  ['zone_unreadable', documents([readingOf({ zones: [['P<UTOERIKSSON', 'L898902C36UTO']] })])],
  ['timed_out', abandoned('timedOut')],
  ['attempts_failed', abandoned('attemptsSpent')],
  ['medium_removed', abandoned('mediumLost')],
  ['collection_removed', abandoned('collectionLost', 'identification')],
  ['data_removed', abandoned('dataRemoved')],
  [
    'containers_not_analysed',
    { ...liveness([]), outcome: { status: 'finished', decision: 'DECLINED', reason: 'x' }, models: null },
  ],
  [
    'undecided',
    recordOf('liveness', {
      outcome: { status: 'failed', failure: { code: 3002, message: '', mediumId: 'a' } },
    }),
  ],
]
const french = ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4']
const doubtfulZone = withCharacter(readText(...passportZone), 0, 16, doubtful({ N: 0.5, H: 0.5 }))
const doubts: typeof analyses = [
  ['fields_unsure', documents([readingOf({ zones: [doubtfulZone] })])],
  [
    'expiry_unsure',
    documents([
      readingOf({
        zones: [french],
        lines: printedPage({ 'Date of expiry': '15.04.2010' }).map((line) => ({ ...line, confidence: 0.85 })),
      }),
    ]),
  ],
  ['dates_unsure', documents([passport({ 'Date of issue': '12.08.1974' })])],
]

const codesOf = (analysis: AnalysisRecord) => explainAnalysis(analysis).map(({ code }) => code)

describe('why an analysis does not end with success', () => {
  it.each(analyses)('%s', (code, analysis) => {
    expect(codesOf(analysis)[0]).toBe(code)
  })

  it('results of version 1.0, which have no reasons, tell what was not shown', () => {
    const missed = challenged({ challenge: ['left'], steps: [{ gesture: 'left', fromS: 0, toS: 2 }] })
    const { evidence } = missed as unknown as LivenessAnalysis
    const results = evidence!.results.map(({ reasons, ...old }) => old)
    expect(codesOf({ ...missed, evidence: { ...evidence, results } } as AnalysisRecord)).toEqual([
      'challenge_missed',
    ])
  })

  it.each(doubts)('%s, beside other doubts', (code, analysis) => {
    expect(codesOf(analysis)).toContain(code)
  })

  it('every reason occurs, and belongs to the types that give it', () => {
    const told = [...analyses, ...doubts].flatMap(([, analysis]) =>
      codesOf(analysis).map((code) => ({ code, type: analysis.type })),
    )
    expect(reasonCodes.filter((code) => !told.some((one) => one.code === code))).toEqual([])
    const isListed = ({ code, type }: (typeof told)[number]) =>
      (reasonTexts[code].of as readonly string[]).includes(type)
    expect(told.filter((one) => !isListed(one))).toEqual([])
  })

  it('sandboxes end as the service does for the same reason', () => {
    const endOf = ({ outcome }: AnalysisRecord) =>
      outcome.status === 'failed' ? outcome.failure.code : outcome.status === 'finished' && outcome.decision
    const staged = (name: SandboxName, type: AnalysisRecord['type']) => {
      const { end } = sandboxOutcome(name, type)
      return typeof end === 'string' ? end : end.code
    }
    const named = [...analyses, ...doubts].flatMap(([code, analysis]) =>
      code === 'undecided' ? [] : [[code, analysis] as const],
    )
    expect(named.map(([code, { type }]) => [code, staged(code, type)])).toEqual(
      named.map(([code, analysis]) => [code, endOf(analysis)]),
    )
  })

  it('texts are sentences', () => {
    const texts = Object.values(reasonTexts).flatMap(({ message, advice }) => [message, advice])
    expect(texts.filter((text) => !/^[A-Z].*[^.]\.$/.test(text))).toEqual([])
  })

  it('none for success, and before the end', () => {
    expect(explainAnalysis(liveness([photo({})]))).toEqual([])
    const outcome: AnalysisOutcome = { status: 'processing' }
    expect(explainAnalysis({ ...liveness([photo({})]), outcome, models: null })).toEqual([])
  })

  it('names the media, the gravest first, and each reason once', () => {
    const tight = { surroundings: 1 }
    const media = [
      photo({ attack: 0.9, quality: tight }, { id: 'x' }),
      photo({}, { id: 'y' }),
      photo({ attack: 0.8, quality: { ...tight, sharpness: 0.001 } }, { id: 'z' }),
    ]
    expect(explainAnalysis(liveness(media))).toEqual([
      { code: 'print_or_screen', mediumIds: ['x', 'z'] },
      { code: 'soft', mediumIds: ['z'] },
      { code: 'tight', mediumIds: ['x', 'z'] },
    ])
    expect(explainAnalysis(verification([face('a', 0), face('b', 0, 0.1), face('c', 20)]))).toEqual([
      { code: 'different_people', mediumIds: expect.arrayContaining(['c']) },
    ])
  })

  it('is told for every declined score, whatever the thresholds, also for NaN', () => {
    const scores = [0, 0.1, 0.5, 0.9, Number.NaN]
    for (const attack of scores)
      for (const own of [0.01, 0.17, 0.5])
        for (const thresholdSpoofing of [0, 0.2, 0.5, 0.8, 1]) {
          const analysis = liveness([clip(moving({ own, view: 0.25 }), { attack })], { thresholdSpoofing })
          const decision = analysis.outcome.status === 'finished' && analysis.outcome.decision
          const results = (analysis as LivenessAnalysis).evidence!.results
          expect(decision).toBe(results[0]!.attack < thresholdSpoofing ? 'SUCCESS' : 'DECLINED')
          expect(codesOf(analysis).length > 0).toBe(decision === 'DECLINED')
        }
  })
})
