/** Writes the test vectors: `node scripts/run.mjs test/vectors/challenge/make.ts`. Every run signs anew, so the tokens differ each time. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CaptureEvidence, ChallengeStep, PerformedStep } from '../../../src/container/format.ts'
import { signSessionToken } from '../../fixtures/containers.ts'

const iat = 1_767_225_600
/** 2100-01-01: vectors do not expire. */
const exp = 4_102_444_800

const left: ChallengeStep = { type: 'gesture', gesture: 'left' }
const smile: ChallengeStep = { type: 'gesture', gesture: 'smile' }
const approach: ChallengeStep = { type: 'approach', from: 0.3, to: 0.62 }
const colours: ChallengeStep = {
  type: 'colours',
  colours: [
    { colour: '#00ff00', ms: 400 },
    { colour: '#ff00ff', ms: 600 },
    { colour: '#000000', ms: 400 },
    { colour: '#ffff00', ms: 400 },
    { colour: '#0000ff', ms: 600 },
    { colour: '#ffffff', ms: 400 },
  ],
}

const doneLeft: PerformedStep = { ...left, from: 500, to: 2000 }
const doneSmile: PerformedStep = { ...smile, from: 2000, to: 4000 }
const doneApproach: PerformedStep = { type: 'approach', from: 200, to: 500 }
const shown = [
  [1000, '#00ff00'],
  [1404, '#ff00ff'],
  [2000, '#000000'],
  [2400, '#FFFF00'],
  [2804, '#0000ff'],
  [3400, '#ffffff'],
] as const
const doneColours: PerformedStep = { type: 'colours', from: 990, to: 3800, shown }

const digest = (number: number) => String(number).padStart(22, 'A')
const framesEvery = (ms: number, untilMs: number) =>
  Array.from({ length: Math.floor(untilMs / ms) + 1 }, (_, i) => [i * ms, digest(i)] as const)
const frames = framesEvery(150, 4000)

interface Case {
  says: string
  steps?: readonly ChallengeStep[]
  evidence?: CaptureEvidence
  arrived?: number
  clip?: { duration: number; gestures: Record<string, readonly number[]> } | null
  status: string
  reasons: readonly string[]
}

const good = { steps: [doneLeft, doneSmile], frames }
const light = { steps: [doneColours], frames }
const clip = { duration: 4, gestures: { left: [1.5], smile: [3] } }
/** Colours that the page showed otherwise. */
const otherwise = (change: Partial<PerformedStep>) => ({ frames, steps: [{ ...doneColours, ...change }] })

const cases: Case[] = [
  { says: 'two gestures in their order and time', status: 'answered', reasons: [] },
  {
    says: 'no gesture',
    clip: { duration: 4, gestures: {} },
    status: 'missed',
    reasons: ['no_left', 'no_smile'],
  },
  {
    says: 'a gesture after its step',
    clip: { duration: 4, gestures: { left: [2.9], smile: [3] } },
    status: 'missed',
    reasons: ['left_at_another_time'],
  },
  {
    says: 'a gesture that is only repeated before the one before it',
    clip: { duration: 4, gestures: { left: [2], smile: [1.4, 1.9] } },
    status: 'missed',
    reasons: ['smile_at_another_time'],
  },
  {
    says: 'a head that turns both ways',
    clip: { duration: 4, gestures: { left: [1.5], right: [1.8], smile: [3] } },
    status: 'missed',
    reasons: ['left_and_right'],
  },
  { says: 'a photo', clip: null, status: 'no_evidence', reasons: ['no_clip'] },
  {
    says: 'a page that reports nothing',
    evidence: {},
    status: 'no_evidence',
    reasons: ['no_steps', 'no_frames'],
  },
  { says: 'a token that asks for nothing', steps: [], status: 'no_evidence', reasons: ['no_challenge'] },
  {
    says: 'steps in another order',
    evidence: {
      ...good,
      steps: [
        { ...smile, from: 1000, to: 2000 },
        { ...left, from: 2000, to: 4000 },
      ],
    },
    status: 'contradicted',
    reasons: ['other_steps'],
  },
  {
    says: 'a step that the app did not know and skipped',
    steps: [left, approach],
    evidence: { ...good, steps: [doneLeft] },
    status: 'contradicted',
    reasons: ['other_steps'],
  },
  {
    says: 'steps at the same time',
    evidence: { ...good, steps: [doneLeft, { ...doneSmile, from: 1500 }] },
    status: 'contradicted',
    reasons: ['steps_out_of_order'],
  },
  {
    says: 'a clip that is shorter than the challenge',
    evidence: { ...good, frames: framesEvery(150, 2500) },
    clip: { ...clip, duration: 2.5 },
    status: 'contradicted',
    reasons: ['steps_out_of_order'],
  },
  {
    says: 'frames that do not follow each other',
    evidence: { ...good, frames: [frames[1]!, frames[0]!, ...frames.slice(2)] },
    status: 'contradicted',
    reasons: ['frames_out_of_order'],
  },
  {
    says: 'a page that saw hardly any frames',
    evidence: { ...good, frames: framesEvery(700, 4000) },
    status: 'cannot_tell',
    reasons: ['page_saw_few_frames'],
  },
  {
    says: 'one picture again and again',
    evidence: { ...good, frames: frames.map(([time]) => [time, digest(0)] as const) },
    status: 'contradicted',
    reasons: ['repeated_frames'],
  },
  {
    says: 'frames of a longer recording',
    evidence: { ...good, frames: framesEvery(150, 6000) },
    status: 'contradicted',
    reasons: ['other_duration'],
  },
  {
    says: 'a recording that is older than its token',
    arrived: iat + 1,
    status: 'contradicted',
    reasons: ['older_than_session'],
  },
  {
    says: 'a step of a type that no server knows',
    steps: [{ type: 'nod' } as never],
    evidence: { frames, steps: [{ type: 'nod', from: 1000, to: 2000 }] },
    status: 'missed',
    reasons: ['no_nod'],
  },
  {
    says: 'an approach of which the pixels tell nothing',
    steps: [approach, left, smile],
    evidence: { frames, steps: [doneApproach, doneLeft, doneSmile] },
    status: 'cannot_tell',
    reasons: ['approach_unclear'],
  },
  {
    says: 'an approach of which the pixels tell nothing, and a missed gesture',
    steps: [approach, left],
    evidence: { frames, steps: [doneApproach, doneLeft] },
    clip: { duration: 4, gestures: {} },
    status: 'missed',
    reasons: ['approach_unclear', 'no_left'],
  },
  {
    says: 'colours of which the pixels tell nothing',
    evidence: light,
    status: 'cannot_tell',
    reasons: ['colours_unclear'],
  },
  {
    says: 'the way without light',
    evidence: { frames, steps: [{ type: 'colours', from: 1000, to: 1000, skipped: true }] },
    status: 'cannot_tell',
    reasons: ['colours_skipped'],
  },
  {
    says: 'a step that took no time',
    evidence: { ...good, steps: [{ ...doneLeft, to: 500 }, doneSmile] },
    status: 'contradicted',
    reasons: ['steps_out_of_order', 'step_too_short'],
  },
  {
    says: 'a step that is shorter than a gesture',
    evidence: { ...good, steps: [{ ...doneLeft, from: 1450, to: 1550 }, doneSmile] },
    status: 'contradicted',
    reasons: ['step_too_short'],
  },
  {
    says: 'colours without times',
    evidence: { frames, steps: [{ type: 'colours', from: 1000, to: 3800 }] },
    status: 'no_evidence',
    reasons: ['no_shown'],
  },
  {
    says: 'colours of another session',
    evidence: otherwise({
      shown: shown.map(([time], i) => [time, shown[(i + 1) % shown.length]![1]] as const),
    }),
    status: 'contradicted',
    reasons: ['other_colours'],
  },
  {
    says: 'one colour less',
    evidence: otherwise({ shown: shown.slice(1) }),
    status: 'contradicted',
    reasons: ['other_colours'],
  },
  {
    says: 'colours before their step',
    evidence: otherwise({ from: 2000 }),
    status: 'contradicted',
    reasons: ['colours_at_another_time'],
  },
  {
    says: 'colours that end after their step',
    evidence: otherwise({ to: 3000 }),
    status: 'contradicted',
    reasons: ['colours_at_another_time'],
  },
]

const vectors = await Promise.all(
  cases.map(async ({ says, steps, evidence, arrived = iat + 20, clip: pixels = clip, status, reasons }) => {
    const isLit = evidence?.steps?.[0]?.type === 'colours'
    const asked = steps ?? (isLit ? [colours] : [left, smile])
    const token = await signSessionToken({
      ...{ jti: '00000000-0000-4000-8000-000000000001', iat, exp },
      challenge: { required: true, steps: asked },
    })
    return { says, token, arrived, evidence: evidence ?? good, clip: pixels, status, reasons }
  }),
)
await writeFile(path.resolve('test/vectors/challenge/vectors.json'), `${JSON.stringify(vectors, null, 1)}\n`)
