import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import type { ClipFindings } from '../../../src/assess/assessment.ts'
import { toCaptureFacts } from '../../../src/container/capture-facts.ts'
import { readEvidence } from '../../../src/container/content.ts'
import { type CaptureFacts, judgeCapture } from '../../../src/decide/capture.ts'
import { describeUnclear } from '../../../src/decide/challenge/unclear.ts'
import { type GestureFindings, gestureNames } from '../../../src/vision/clip/gestures.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'

const notPerformed = Object.fromEntries(
  gestureNames.map((name) => [name, { isPerformed: false, score: 0.2, timeS: 1 }]),
) as GestureFindings
const at = (timeS: number) => ({ isPerformed: true, score: 1.4, timeS })

/** A clip in which the head turns left after one second and the mouth smiles after three. */
const clip = {
  timing: { declaredS: 4, sameTime: 0, backSteps: 0, fastestRate: 30 },
  gestures: { ...notPerformed, left: at(1), smile: at(3) },
} as ClipFindings
const withGestures = (change: Partial<GestureFindings>) =>
  ({ ...clip, gestures: { ...clip.gestures, ...change } }) as ClipFindings

const facts: CaptureFacts = {
  challenge: ['left', 'smile'],
  steps: [
    { gesture: 'left', fromS: 0.2, toS: 1.8 },
    { gesture: 'smile', fromS: 1.8, toS: 3.6 },
  ],
  frames: { count: 110, spanS: 3.9, backSteps: 0, repeatedShare: 0 },
  ageS: 20,
  track: {},
  device: {},
}
const [left, smile] = facts.steps!
const judge = (
  change: Partial<CaptureFacts> = {},
  of: ClipFindings | null = clip,
  durationS: number | null = 4,
) => judgeCapture({ ...facts, ...change }, of, durationS)
const frames = (change: object) => ({ frames: { ...facts.frames!, ...change } })

const performed = { status: 'performed', reasons: [], advice: '', attack: null }

describe('the answer to a challenge', () => {
  it('a clip with the gestures of the challenge in their time answers it', () => {
    expect(judge()).toEqual({
      status: 'answered',
      reasons: [],
      steps: [
        { ...performed, step: 'left', measures: { score: 1.4, time: 1 } },
        { ...performed, step: 'smile', measures: { score: 1.4, time: 3 } },
      ],
    })
  })

  it.each([
    ['no_challenge', judge({ challenge: [] })],
    ['no_steps', judge({ steps: null })],
    ['no_frames', judge({ frames: null })],
    ['no_clip', judge({}, null, null)],
    ['no_clip', judge({}, { ...clip, timing: null }, 4)],
    ['no_container', judgeCapture(null, clip, 4)],
  ])('without evidence there is none: %s', (word, verdict) => {
    expect(verdict).toEqual({ status: 'no_evidence', reasons: [word] })
  })

  it('a page that is too slow to see the camera tells nothing, and is no attack', () => {
    const verdict = judge(frames({ count: 7 }))
    expect(verdict).toEqual({ status: 'cannot_tell', reasons: ['page_saw_few_frames'] })
    expect(describeUnclear(verdict).message).toContain('another device')
    expect(judge(frames({ count: 8 })).status).toBe('answered')
  })

  it.each([
    ['other_steps', { steps: [left!] }],
    ['other_steps', { steps: [left!, { ...smile!, gesture: 'right' }] }],
    ['other_steps', { challenge: ['smile', 'left'] }],
    ['other_steps', { challenge: ['left', 'smile', 'high'] }],
    ['other_steps', { challenge: ['left', 'colour'] }],
    ['other_steps', { challenge: ['left', 'smile'], steps: [{ ...left!, gesture: 'left,smile' }] }],
    ['other_steps', { challenge: ['left', { type: 'approach', from: 0.3, to: 0.6 }] }],
    ['steps_out_of_order', { steps: [left!, { ...smile!, fromS: 1 }] }],
    ['steps_out_of_order', { steps: [{ ...left!, fromS: 1.9 }, smile!] }],
    ['steps_out_of_order', { steps: [left!, { ...smile!, toS: 9 }] }],
    ['steps_out_of_order', { steps: [{ ...left!, fromS: Number.NaN }, smile!] }],
    [
      'steps_out_of_order',
      {
        steps: [
          { ...left!, toS: 0.2, isSkipped: true },
          { ...smile!, fromS: 0 },
        ],
      },
    ],
    ['step_too_short', { steps: [{ ...left!, fromS: 0.9, toS: 0.95 }, smile!] }],
    ['step_too_short', { steps: [left!, { ...smile!, toS: 1.8, isSkipped: true }] }],
    ['frames_out_of_order', frames({ backSteps: 1 })],
    ['repeated_frames', frames({ repeatedShare: 0.5 })],
    ['repeated_frames', frames({ repeatedShare: Number.NaN })],
    ['other_duration', frames({ spanS: 2, count: 60 })],
    ['other_duration', frames({ spanS: 8, count: 300 })],
    ['older_than_session', { ageS: 1 }],
    ['older_than_session', { ageS: -100 }],
  ] as [string, Partial<CaptureFacts>][])('evidence that does not fit contradicts: %s', (word, change) => {
    const { status, reasons } = judge(change)
    expect(status).toBe('contradicted')
    expect(reasons).toContain(word)
  })

  it.each([
    ['no_left', withGestures({ left: { ...at(1), isPerformed: false } })],
    ['no_smile', withGestures({ smile: { ...at(3), timeS: null } })],
    ['smile_at_another_time', withGestures({ smile: at(0.5) })],
    ['left_at_another_time', withGestures({ left: at(3) })],
    ['smile_at_another_time', withGestures({ left: at(2.3), smile: at(2.2) })],
  ])('a clip that shows something else misses the challenge: %s', (word, of) => {
    const { status, reasons } = judge({}, of)
    expect(status).toBe('missed')
    expect(reasons).toContain(word)
  })

  it('is judged once for all analyses that ask for it, and anew for another clip', () => {
    const verdict = judgeCapture(facts, clip, 4)
    expect(judgeCapture(facts, clip, 4)).toBe(verdict)
    expect(judgeCapture(facts, clip, 3.9)).not.toBe(verdict)
    expect(judgeCapture(facts, withGestures({ smile: at(0.5) }), 4).status).toBe('missed')
  })

  const peaks = (...peaksS: number[]) => ({ isPerformed: true, score: 1.4, timeS: peaksS[0]!, peaksS })

  it('gestures that nobody asked for do no harm', () => {
    const of = withGestures({ smile: peaks(0.1, 3), eyes: peaks(0.5, 1, 2), right: peaks(2.4) })
    expect(judge({}, of)).toMatchObject({ status: 'answered', reasons: [] })
  })

  it.each([
    ['left_and_right', { left: peaks(0.4, 1.4, 2.4, 3.4), right: peaks(0.1, 1.1, 2.1, 3.1) }],
    ['smile_at_another_time', { left: peaks(1, 2), smile: peaks(0.2, 0.9) }],
    ['left_at_another_time', { left: peaks(2.6, 3.4) }],
  ] as [string, Partial<GestureFindings>][])(
    'a clip with many movements still has to answer in order: %s',
    (word, change) => {
      const { status, reasons } = judge({}, withGestures(change))
      expect(status).toBe('missed')
      expect(reasons).toContain(word)
    },
  )

  it('a gesture that the server does not know is never performed', () => {
    const steps = [left!, { ...smile!, gesture: 'toString' }]
    expect(judge({ challenge: ['left', 'toString'], steps })).toMatchObject({
      status: 'missed',
      reasons: ['no_toString'],
    })
  })
})

describe('the answer to colours', () => {
  const asked = {
    type: 'colours' as const,
    colours: [
      { colour: '#00ff00', ms: 400 },
      { colour: '#ff00ff', ms: 600 },
      { colour: '#000000', ms: 400 },
    ],
  }
  const shown = [
    [0.5, '#00FF00'],
    [0.9, '#ff00ff'],
    [1.5, '#000000'],
  ] as const
  const colours = { gesture: 'colours', fromS: 0.5, toS: 1.9, shown }
  const judgeColours = (change: object) => judge({ challenge: [asked], steps: [{ ...colours, ...change }] })

  it.each([
    ['other_colours', { shown: [] }],
    ['other_colours', { shown: shown.slice(1) }],
    ['other_colours', { shown: [...shown, [1.8, '#ffffff']] }],
    ['other_colours', { shown: [shown[1], shown[0], shown[2]] }],
    ['other_colours', { shown: shown.map(([timeS]) => [timeS, 'red']) }],
    ['colours_at_another_time', { shown: shown.map(([timeS, colour]) => [2 - timeS, colour]) }],
    ['colours_at_another_time', { shown: shown.map(([timeS, colour]) => [timeS + 5, colour]) }],
    ['colours_at_another_time', { shown: shown.map(([, colour]) => [Number.NaN, colour]) }],
  ])('colours that were not asked for, or at another time, contradict: %s', (word, change) => {
    expect(judgeColours(change)).toEqual({ status: 'contradicted', reasons: [word] })
  })

  it('a page that does not say what it showed gives no evidence', () => {
    expect(judgeColours({ shown: undefined })).toEqual({ status: 'no_evidence', reasons: ['no_shown'] })
  })

  it('the way without light tells nothing, and is no pass', () => {
    expect(judgeColours({ shown: undefined, isSkipped: true })).toMatchObject({
      status: 'cannot_tell',
      reasons: ['colours_skipped'],
      steps: [{ step: 'colours', status: 'cannot_tell', advice: 'other_way', attack: null }],
    })
  })
})

describe('liveness with a required challenge', () => {
  const pad = { status: 'assessed', attack: 0.1, replay: 0, networks: [] }
  const face = { box: { x: 0, y: 0, width: 200, height: 240 }, confidence: 1 }
  const movement = {
    status: 'measured',
    own: 1,
    uncut: 1,
    view: 0,
    tilt: 0,
    remainder: 1,
    blendRemainder: 1,
    recurrence: 1,
    jumpRecurrence: 1,
    light: 0,
  }
  const moving = {
    ...clip,
    frames: 100,
    framesWithoutFace: 0,
    framesTurned: 0,
    movement,
    identity: null,
    repeatedShare: 0,
  }
  const medium = (capture: CaptureFacts | null, of: object | null = moving) =>
    ({
      id: 'm',
      tags: [],
      durationS: 4,
      ...(capture ? { capture } : {}),
      assessment: { faces: [face], subject: { quality: {}, pad, template: { status: 'not_run' } }, clip: of },
    }) as never
  const outcome = (isRequired: boolean, ...media: never[]) =>
    decideLiveness(media, { ...usualLiveness, challengeRequired: isRequired }).outcome
  const missed = { ...facts, challenge: ['left', 'high'], steps: [left!, { ...smile!, gesture: 'high' }] }

  it('an answered challenge passes', () => {
    expect(outcome(true, medium(facts))).toEqual({ status: 'finished', decision: 'SUCCESS' })
  })

  it('a missed challenge and evidence that does not fit decline, with the reason', () => {
    expect(outcome(true, medium(missed))).toEqual({
      status: 'finished',
      decision: 'DECLINED',
      reason: 'The capture does not answer the challenge of its session: no_high',
    })
    expect(outcome(true, medium({ ...facts, ageS: 0 }))).toMatchObject({ decision: 'DECLINED' })
  })

  it('missing evidence is no pass', () => {
    for (const capture of [
      null,
      { ...facts, steps: null },
      { ...facts, frames: null },
      { ...facts, challenge: [] },
    ])
      expect(outcome(true, medium(capture))).toMatchObject({ status: 'failed', failure: { code: 3009 } })
  })

  it('a challenge of which the clip does not tell fails with what to do, and shows what was found', () => {
    const skipped = { gesture: 'colours', fromS: 0.5, toS: 2, isSkipped: true } as const
    const challenge = [{ type: 'colours' as const, colours: [{ colour: '#ffffff', ms: 400 }] }]
    const unclear = medium({ ...facts, challenge, steps: [skipped] })
    const {
      outcome,
      media,
      unclear: told,
    } = decideLiveness([unclear], {
      ...usualLiveness,
      challengeRequired: true,
    })
    expect(outcome).toMatchObject({
      status: 'failed',
      failure: { code: 3009, message: expect.stringMatching(/does not tell.*without light/), mediumId: 'm' },
    })
    expect(media).toEqual([])
    expect(told).toMatchObject([{ mediumId: 'm', challenge: { status: 'cannot_tell' } }])
    // A step that the clip does not show declines all the same.
    const both = medium({ ...missed, challenge: [...challenge, 'high'], steps: [skipped, missed.steps[1]!] })
    expect(decideLiveness([both], { ...usualLiveness, challengeRequired: true }).outcome).toMatchObject({
      decision: 'DECLINED',
    })
  })

  it('one medium that answers does not speak for another one', () => {
    expect(outcome(true, medium(facts), medium(missed))).toMatchObject({ decision: 'DECLINED' })
    expect(outcome(true, medium(facts), medium(null))).toMatchObject({ status: 'failed' })
  })

  it('where it is not required it is recorded and decides nothing', () => {
    for (const capture of [facts, missed, null])
      expect(outcome(false, medium(capture))).toEqual({ status: 'finished', decision: 'SUCCESS' })
    const { media } = decideLiveness([medium(missed)], { ...usualLiveness, challengeRequired: false })
    expect(media[0]!.challenge).toMatchObject({ status: 'missed', reasons: ['no_high'] })
  })
})

describe('facts of a capture', () => {
  const claims = {
    tokenId: 't',
    companyId: null,
    issuedAtMs: 1000,
    expiresAtMs: 9000,
    challenge: {
      required: true,
      steps: [
        { type: 'gesture', gesture: 'left' },
        { type: 'colour', value: 'red' },
      ],
    },
  }
  const digests = ['A', 'B', 'B', 'C'].map((letter) => letter.repeat(22))

  it('times are seconds, and digests are counted', () => {
    const evidence = {
      steps: [{ type: 'gesture', gesture: 'left', from: 500, to: 1500 }],
      frames: [100, 200, 150, 400].map((time, i) => [time, digests[i]!] as const),
      track: { width: 640, deviceId: 'a', groupId: 'b' },
    }
    expect(toCaptureFacts(evidence, claims, 6500)).toEqual({
      challenge: ['left', 'colour'],
      steps: [{ gesture: 'left', fromS: 0.5, toS: 1.5 }],
      frames: { count: 4, spanS: 0.3, backSteps: 1, repeatedShare: 0.25 },
      ageS: 5.5,
      track: { width: 640 },
      device: {},
    })
  })

  it('what the page says about colours is kept', () => {
    const shown = [[200, '#FFFFFF']]
    const steps = [
      { type: 'colours', from: 200, to: 900, shown, soft: true },
      { type: 'colours', from: 900, to: 1000, skipped: true, soft: false },
      { type: 'gesture', gesture: 'left', from: 1000, to: 3000, shown, soft: true, skipped: true },
    ]
    const evidence = readEvidence(new TextEncoder().encode(JSON.stringify({ steps })))
    expect(toCaptureFacts(evidence, claims, 6500).steps).toEqual([
      { gesture: 'colours', fromS: 0.2, toS: 0.9, shown: [[0.2, '#FFFFFF']], isSoft: true },
      { gesture: 'colours', fromS: 0.9, toS: 1, isSkipped: true },
      { gesture: 'left', fromS: 1, toS: 3 },
    ])
  })

  it('a step of another type has its name, and is never performed', () => {
    const steps = [
      { type: 'gesture', gesture: 'left', from: 200, to: 1800 },
      { type: 'colour', value: 'red', from: 1800, to: 3600 },
    ]
    const evidence = readEvidence(new TextEncoder().encode(JSON.stringify({ steps })))
    const { challenge, steps: performed } = toCaptureFacts(evidence, claims, 6500)
    expect(challenge).toEqual(['left', 'colour'])
    expect(performed).toMatchObject([{ gesture: 'left' }, { gesture: 'colour', fromS: 1.8, toS: 3.6 }])
    expect(judge({ challenge, steps: performed })).toMatchObject({
      status: 'missed',
      reasons: ['no_colour'],
    })
  })

  it.each([
    { type: 'gesture', from: 0, to: 1 },
    { type: 7, from: 0, to: 1 },
    { type: 'colour', from: 0 },
    { type: 'colours', from: 0, to: 1, shown: [[0, 'a text that is no colour']] },
    { type: 'colour', gesture: 7, from: 0, to: 1 },
    { gesture: 'left', from: 0, to: 1 },
    { type: 'colours', from: 0, to: 1, shown: [[0]] },
    { type: 'colours', from: 0, to: 1, shown: [['0', '#ffffff']] },
    { type: 'colours', from: 0, to: 1, shown: [[-1, '#ffffff']] },
    { type: 'colours', from: 0, to: 1, shown: Array(5000).fill([0, '#ffffff']) },
    { type: 'colours', from: 0, to: 1, skipped: 'yes' },
  ])('a step without its members damages the container: %j', (step) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ steps: [step] }))
    expect(() => readEvidence(bytes)).toThrow(expect.objectContaining({ code: 'container_damaged' }))
  })

  it('nothing reported is no evidence', () => {
    for (const evidence of [null, {}, { frames: [] }])
      expect(toCaptureFacts(evidence, { ...claims, challenge: 'left' }, 6500)).toMatchObject({
        challenge: [],
        steps: null,
        frames: null,
      })
  })
})
