import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import { analysisKinds } from '../../../src/analyses/registry.ts'
import { decideVerification } from '../../../src/analyses/verification/decide.ts'
import type { ClipFindings } from '../../../src/assess/assessment.ts'
import type { DecidedMedium, Outcome } from '../../../src/decide/analysis.ts'
import {
  type AnalysisRun,
  computeFolderResult,
  computeReview,
  pickDecidedRuns,
} from '../../../src/decide/folder-result.ts'
import { decideMatch } from '../../../src/decide/match.ts'
import type { ComparedMedium } from '../../../src/decide/same-picture.ts'
import { checkSample, findPoorReasons } from '../../../src/decide/sample.ts'
import {
  axisTemplate,
  goodQuality,
  type MadeUp,
  madeUpAssessment,
  madeUpClip,
} from '../../fixtures/assessments.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { madeCohort } from '../../fixtures/templates.ts'

const medium = (id: string, made: MadeUp, tags: string[] = []): ComparedMedium => ({
  id,
  md5: id,
  tags,
  assessment: madeUpAssessment(made),
})
const failureCode = (outcome: Outcome) =>
  outcome.status === 'failed' ? outcome.failure.code : outcome.decision

describe('liveness', () => {
  const parameters = {
    thresholdSpoofing: 0.5,
    extractBestShot: true,
    extractActionShot: false,
    gestureRequired: false,
    movementRequired: false,
    challengeRequired: false,
    gate: 'record',
  } as const
  const decide = (...media: DecidedMedium[]) => decideLiveness(media, parameters)

  it.each([
    [0.49, 'SUCCESS'],
    [0.5, 'DECLINED'],
    [1, 'DECLINED'],
    [0, 'SUCCESS'],
  ])('decides an attack score of %f', (attack, decision) => {
    expect(decide(medium('a', { attack })).outcome).toEqual({ status: 'finished', decision })
  })

  it('is declined by thresholds for replay and liveness if they are set, and by them alone', () => {
    const replayed = medium('a', { attack: 0.4 })
    const { replay } = decide(replayed).media[0]!
    const decided = (change: object) =>
      failureCode(decideLiveness([replayed], { ...parameters, ...change }).outcome)
    expect(decided({})).toBe('SUCCESS')
    expect(decided({ thresholdReplay: replay })).toBe('DECLINED')
    expect(decided({ thresholdReplay: replay + 0.01 })).toBe('SUCCESS')
    // A photo has no liveness score, so there is nothing to compare.
    expect(decided({ thresholdLiveness: 0.9 })).toBe('SUCCESS')
  })

  it('is declined if a score is NaN', () => {
    const verdict = decide(medium('a', { attack: 0.1 }), medium('b', { attack: Number.NaN }))
    expect(verdict.outcome).toEqual({ status: 'finished', decision: 'DECLINED' })
  })

  it('is declined by one attack among several media', () => {
    const verdict = decide(medium('a', { attack: 0.1 }), medium('b', { attack: 0.9 }))
    expect(verdict.outcome).toEqual({ status: 'finished', decision: 'DECLINED' })
    expect(verdict.worstAttack).toBe(0.9)
  })

  it('fails if one medium shows no face, and still returns the scores of the others', () => {
    const verdict = decide(medium('a', { attack: 0.1 }), medium('b', { faceHeights: [] }))
    expect(verdict.outcome).toMatchObject({ status: 'failed', failure: { code: 3002, mediumId: 'b' } })
    expect(verdict.media).toEqual([
      { mediumId: 'a', attack: 0.1, replay: 0.05, liveness: null, gesture: null },
    ])
  })

  it.each([
    [[300, 150], 3003],
    [[300, 149], 'SUCCESS'],
  ])('counts faces of heights %j', (faceHeights, expected) => {
    expect(failureCode(decide(medium('a', { attack: 0.1, faceHeights })).outcome)).toBe(expected)
  })

  it('refuses a poor sample only if the quality gate is set to refuse', () => {
    const soft = medium('a', { attack: 0.1, quality: { sharpness: 0.001 } })
    expect(failureCode(decide(soft).outcome)).toBe('SUCCESS')
    expect(failureCode(decideLiveness([soft], { ...parameters, gate: 'refuse' }).outcome)).toBe(3005)
  })
})

describe('a sample on which no network can tell', () => {
  const defects = [
    ['grey', { colour: 0.5 }],
    ['dark', { brightness: 0.1 }],
    ['bright', { overexposed: 0.4 }],
    ['small', { faceSide: 50 }],
    ['compressed', { blockiness: 4 }],
  ] as const
  const decide = (media: readonly DecidedMedium[], change = {}) =>
    decideLiveness(media, { ...usualLiveness, ...change }).outcome
  const poor = (quality: object, attack = 0.9, tags: string[] = []) => medium('a', { attack, quality }, tags)

  it.each(defects)('fails instead of being declined: %s', (reason, quality) => {
    expect(decide([poor(quality)])).toEqual({
      status: 'failed',
      failure: {
        ...{ code: 3005, mediumId: 'a', reasons: [reason] },
        message: expect.stringContaining(`(${reason}): `),
      },
    })
  })

  it.each([
    ['soft', { sharpness: 0.001 }],
    ['tight', { surroundings: 1 }],
    ['noisy', { noise: 9 }],
  ])('is another one than a %s one, which is declined', (_, quality) => {
    expect(failureCode(decide([poor(quality)]))).toBe('DECLINED')
  })

  it('passes as before, at every threshold, and no defect lets anything pass', () => {
    for (const [, quality] of defects)
      for (const attack of [0, 0.2, 0.49, 0.5, 0.9, 1, Number.NaN])
        for (const thresholdSpoofing of [0, 0.2, 0.5, 0.8, 1]) {
          const isPassed = failureCode(decide([poor(quality, attack)], { thresholdSpoofing })) === 'SUCCESS'
          expect(isPassed).toBe(attack < thresholdSpoofing)
        }
  })

  it('is declined where other evidence says so', () => {
    const grey = { colour: 0 }
    const attack = { ...medium('b', { attack: 0.9 }) }
    expect(failureCode(decide([poor(grey), attack]))).toBe('DECLINED')
    expect(failureCode(decide([poor(grey, 0.9, ['video_selfie_left'])], { gestureRequired: true }))).toBe(
      'DECLINED',
    )
    const flat = { ...madeUpClip.movement, own: 0.01, view: 1 } as ClipFindings['movement']
    const identity = { frames: 3, facing: 3, agreeing: 3, distance: -9 }
    const moved = (movement: ClipFindings['movement']) => {
      const still = poor(grey)
      return { ...still, assessment: { ...still.assessment, clip: { ...madeUpClip, identity, movement } } }
    }
    expect(failureCode(decide([moved(flat)]))).toBe('DECLINED')
    expect(failureCode(decide([moved(madeUpClip.movement)]))).toBe(3005)
    expect(failureCode(decide([poor(grey, Number.NaN)]))).toBe('DECLINED')
  })

  it('shows its score, and fails beside media that pass', () => {
    const { outcome, media, worstAttack } = decideLiveness(
      [medium('b', { attack: 0.1 }), poor({ colour: 0 })],
      usualLiveness,
    )
    expect(failureCode(outcome)).toBe(3005)
    expect([media.map(({ attack }) => attack), worstAttack]).toEqual([[0.1, 0.9], 0.9])
  })
})

describe('sample quality', () => {
  it.each([
    ['small', { faceSide: 79 }],
    ['soft', { sharpness: 0.005 }],
    ['dark', { brightness: 0.1 }],
    ['bright', { overexposed: 0.5 }],
    ['noisy', { noise: 9 }],
    ['grey', { colour: 0 }],
    ['tight', { surroundings: 0.9 }],
    ['compressed', { blockiness: 9 }],
  ])('names a %s sample', (reason, change) => {
    expect(findPoorReasons({ ...goodQuality, ...change })).toEqual([reason])
  })

  it('refuses a grey sample for liveness, and accepts it for matching', () => {
    const grey = { assessment: madeUpAssessment({ quality: { colour: 0 } }), id: 'a', tags: [] }
    expect(checkSample(grey, 'refuse', 'liveness')).toMatchObject({ code: 3005 })
    expect(checkSample(grey, 'refuse', 'matching')).toBeNull()
    expect(checkSample(grey, 'record', 'liveness')).toBeNull()
  })

  it('has no defects for a good sample', () => {
    expect(findPoorReasons(goodQuality)).toEqual([])
  })
})

describe('1:1 verification', () => {
  const cohort = madeCohort(
    'axes',
    Array.from({ length: 60 }, (_, i) => axisTemplate(i + 40)),
  )
  const parameters = { band: { min: 0.85, max: 0.85 }, gate: 'record' } as const
  const alike = [medium('a', { vector: axisTemplate(0) }), medium('b', { vector: axisTemplate(0, 0.1) })]
  const stranger = medium('c', { vector: axisTemplate(20) })

  it('accepts two pictures of one person', () => {
    const { outcome, pairs } = decideVerification(cohort, alike, parameters)
    expect(outcome).toEqual({ status: 'finished', decision: 'SUCCESS' })
    expect(pairs).toHaveLength(1)
  })

  it('decides by the least similar pair', () => {
    const { outcome, pairs } = decideVerification(cohort, [...alike, stranger], parameters)
    expect(outcome).toEqual({ status: 'finished', decision: 'DECLINED' })
    expect(pairs.map(({ mediumIds }) => mediumIds.join(''))).toEqual(['ab', 'ac', 'bc'])
  })

  it('requires an operator only inside the band', () => {
    const band = { min: 0.75, max: 0.85 }
    expect([0.74, 0.75, 0.84, 0.85].map((score) => decideMatch(score, band))).toEqual([
      'DECLINED',
      'OPERATOR_REQUIRED',
      'OPERATOR_REQUIRED',
      'SUCCESS',
    ])
  })

  it('declines a NaN score', () => {
    expect(decideMatch(Number.NaN, { min: 0.75, max: 0.85 })).toBe('DECLINED')
  })

  const printed = (id: string, print: number[], lean = 0.01): ComparedMedium => {
    const made = medium(id, { vector: axisTemplate(0, lean) })
    return { ...made, assessment: { ...made.assessment, print } }
  }
  const print = Array.from({ length: 256 }, (_, cell) => cell / 2)
  const moved = (by: (cell: number) => number) => print.map((lightness, cell) => lightness + by(cell))
  const compared = (...media: ComparedMedium[]) => decideVerification(cohort, media, parameters)

  it('fails for two identical files of any kind, and names the second', () => {
    const [a, b] = [alike[0]!, { ...alike[1]!, md5: alike[0]!.md5 }]
    const message = expect.stringMatching(/taken separately/)
    const failure = { code: 3008, mediumId: 'b', message, reasons: ['same_picture'] }
    expect(compared(a, b)).toEqual({ outcome: { status: 'failed', failure }, pairs: [] })
    expect(failureCode(compared(stranger, a, b).outcome)).toBe(3008)
  })

  it.each([
    ['re-encoded', () => 0.8, 0.02, 3008],
    ['lighter as a whole', () => 1, 0.02, 'SUCCESS'],
    ['changed in one cell', (cell: number) => (cell === 9 ? 3.6 : 0), 0.02, 'SUCCESS'],
    ['like it, with another face', () => 0, 0.6, 'SUCCESS'],
  ])('takes a picture that is %s for what it is', (_, by, lean, expected) => {
    expect(failureCode(compared(printed('a', print), printed('b', moved(by), lean)).outcome)).toBe(expected)
  })

  it('does not compare prints of clips', () => {
    expect(failureCode(compared(printed('a', print), alike[1]!).outcome)).toBe('SUCCESS')
  })

  it('does not decide on fewer than two media', () => {
    expect(() => decideVerification(cohort, alike.slice(0, 1), parameters)).toThrow(TypeError)
  })

  it('fails if a face is too small, and uses the largest face on documents', () => {
    const small = medium('s', { template: { status: 'too_small' } })
    expect(failureCode(decideVerification(cohort, [alike[0]!, small], parameters).outcome)).toBe(3004)
    const card = medium('d', { vector: axisTemplate(0), faceHeights: [300, 290] }, ['photo_id_front'])
    expect(failureCode(decideVerification(cohort, [alike[0]!, card], parameters).outcome)).toBe('SUCCESS')
  })
})

describe('selectMedia', () => {
  const selfie = { tags: ['photo_selfie'] }
  const front = { tags: ['photo_id', 'photo_id_front'] }
  const back = { tags: ['photo_id_back'] }
  const all = [selfie, front, back]
  const codeOf = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'accepted'
  }

  it('excludes documents from liveness, and backs of documents from comparisons', () => {
    expect(analysisKinds.liveness.select(all, null)).toEqual([selfie])
    expect(analysisKinds.verification.select(all, null)).toEqual([selfie, front])
  })

  it('includes the back of a document in a comparison if it is listed', () => {
    expect(analysisKinds.verification.select(all, [selfie, back])).toEqual([selfie, back])
  })

  it('counts a medium that is listed twice once', () => {
    expect(codeOf(() => analysisKinds.verification.select(all, [selfie, selfie]))).toBe('value_invalid')
    expect(analysisKinds.verification.select(all, [selfie, front, selfie])).toEqual([selfie, front])
    expect(analysisKinds.liveness.select(all, [selfie, selfie])).toEqual([selfie])
  })

  it('throws if no medium is eligible', () => {
    expect(codeOf(() => analysisKinds.liveness.select([front], null))).toBe('media_missing')
    expect(codeOf(() => analysisKinds.verification.select([selfie], null))).toBe('value_invalid')
  })
})

describe('the folder result', () => {
  const finished = (decision: 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED'): Outcome => ({
    status: 'finished',
    decision,
  })
  const failed: Outcome = { status: 'failed', failure: { code: 3002, message: '', mediumId: 'a' } }

  it.each([
    [[], 'INITIAL', 'INITIAL'],
    [[finished('SUCCESS'), finished('SUCCESS')], 'FINISHED', 'SUCCESS'],
    [[finished('SUCCESS'), finished('OPERATOR_REQUIRED')], 'FINISHED', 'OPERATOR_REQUIRED'],
    [[finished('OPERATOR_REQUIRED'), finished('DECLINED')], 'FINISHED', 'DECLINED'],
    [[finished('DECLINED'), failed], 'FAILED', 'FAILED'],
  ])('is the gravest of its analyses (%#)', (outcomes, resolutionStatus, systemResolution) => {
    const runs = outcomes.map((outcome, i) => ({
      type: 'liveness',
      mediumIds: [`m${i}`],
      createdAtMs: i,
      outcome,
    }))
    expect(computeFolderResult(runs)).toEqual({ resolutionStatus, systemResolution })
  })

  it('waits for every analysis, and ignores older runs on the same media', () => {
    const run = (createdAtMs: number, outcome: AnalysisRun['outcome']): AnalysisRun => ({
      type: 'verification',
      mediumIds: createdAtMs % 2 ? ['a', 'b'] : ['b', 'a'],
      createdAtMs,
      outcome,
    })
    const runs = [run(1, finished('DECLINED')), run(2, finished('SUCCESS'))]
    expect(computeFolderResult(runs).systemResolution).toBe('SUCCESS')
    expect(computeFolderResult([...runs, run(3, { status: 'processing' })]).resolutionStatus).toBe(
      'PROCESSING',
    )
  })
})

describe('the review of a folder', () => {
  type Given = readonly [result: string, operator?: 'SUCCESS' | 'DECLINED']
  const runs = (given: readonly Given[]): AnalysisRun[] =>
    given.map(([result, operator], at) => ({
      ...{ type: 'liveness', mediumIds: [String(at)], createdAtMs: 10 + at, operator: operator ?? null },
      outcome:
        result === 'FAILED'
          ? { status: 'failed', failure: { code: 1, message: '', mediumId: null } }
          : result === 'PROCESSING'
            ? { status: 'processing' }
            : { status: 'finished', decision: result as 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' },
    }))
  const waiting = { OPERATOR_REQUIRED: 0, DECLINED: 0, FAILED: 0 }

  it.each<[Given[], 'SUCCESS' | 'DECLINED' | null, object, number | null]>([
    [[], null, {}, null],
    [[['SUCCESS']], null, {}, null],
    [[['SUCCESS', 'DECLINED']], 'DECLINED', {}, null],
    [[['DECLINED', 'SUCCESS']], 'SUCCESS', {}, null],
    [[['DECLINED', 'SUCCESS'], ['OPERATOR_REQUIRED']], null, { OPERATOR_REQUIRED: 1 }, 11],
    [[['DECLINED', 'SUCCESS'], ['OPERATOR_REQUIRED', 'DECLINED'], ['SUCCESS']], 'DECLINED', {}, null],
    [[['FAILED'], ['DECLINED'], ['DECLINED']], null, { FAILED: 1, DECLINED: 2 }, 10],
    [[['DECLINED', 'SUCCESS'], ['PROCESSING']], null, {}, null],
  ])('of %j is %s, and %j wait since %s', (given, status, counts, waitingSinceMs) => {
    const review = computeReview(runs(given))
    expect(review).toEqual({ status, waiting: { ...waiting, ...counts }, waitingSinceMs })
  })

  it('leaves out runs that were repeated', () => {
    const [first] = runs([['DECLINED']])
    const again = { ...runs([['SUCCESS']])[0]!, createdAtMs: 20 }
    expect(computeReview([first!, again])).toMatchObject({ status: null, waiting })
    expect(pickDecidedRuns([first!, again])).toEqual([again])
  })

  it('a decision on the case is on what did not pass or was decided, else on all', () => {
    const places = (given: Given[]) => pickDecidedRuns(runs(given)).map(({ mediumIds }) => mediumIds[0])
    expect(places([['SUCCESS'], ['FAILED'], ['DECLINED', 'SUCCESS'], ['SUCCESS', 'DECLINED']])).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(places([['SUCCESS'], ['SUCCESS']])).toEqual(['0', '1'])
  })
})
