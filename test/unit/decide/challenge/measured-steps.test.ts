/** Steps that are measured in the pixels, on the curves and meshes of simulations. */
import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../../src/analyses/liveness/decide.ts'
import { liveness } from '../../../../src/analyses/liveness/liveness.ts'
import type { ClipFindings } from '../../../../src/assess/assessment.ts'
import { drawChallenge } from '../../../../src/container/challenge/challenge.ts'
import { livenessView } from '../../../../src/contract/full/analysis-views/liveness-view.ts'
import { type CaptureFacts, judgeCapture } from '../../../../src/decide/capture.ts'
import type { AskedApproach, AskedColours, CaptureStep } from '../../../../src/decide/challenge/step.ts'
import {
  drawSurroundings,
  type Surroundings,
  simulateLight,
} from '../../../../tools/accuracy/challenge/lit-curves.ts'
import { type Nearing, simulateApproach } from '../../../../tools/accuracy/challenge/nearing-meshes.ts'
import { generator } from '../../../fixtures/gallery.ts'
import { usualLiveness } from '../../../fixtures/liveness-parameters.ts'
import { madeUpHead } from '../../../fixtures/made-up-head.ts'
import { flatScene, madeUpScene } from '../../../fixtures/made-up-scene.ts'

const random = generator(7)
const below = (count: number) => Math.floor(random() * count)
const { steps } = drawChallenge({ steps: ['approach', 'colours'], required: true }, below)
const [approach, colours] = steps as unknown as [AskedApproach, AskedColours]
const usual: Surroundings = {
  ...drawSurroundings(random, 200),
  delayS: 0.2,
  screenLux: 40,
  framesPerSecond: 10,
}

const approachS = 3
const colourS = colours.colours.reduce((sum, { ms }) => sum + ms, 0) / 1000
const endS = approachS + colourS
let shownS = approachS
const shown = colours.colours.map(({ colour, ms }) => {
  const at = [shownS, colour] as const
  shownS += ms / 1000
  return at
})
const performed: [CaptureStep, CaptureStep] = [
  { gesture: 'approach', fromS: 0, toS: approachS },
  { gesture: 'colours', fromS: approachS, toS: endS, shown },
]

interface Scene {
  nearing?: Nearing
  scene?: typeof madeUpScene
  lux?: number
  screen?: AskedColours['colours']
}

/** What is found in a clip of someone who comes nearer and is then lit. */
function clipOf({ nearing = 'person', scene = madeUpScene, lux = 200, screen = colours.colours }: Scene) {
  const camera = {
    ...{
      focalLength: 0.75,
      aspect: 9 / 16,
      framesPerSecond: 10,
      durationS: approachS,
      noise: 0.0006,
      bias: 0.0003,
    },
    ...{ from: approach.from, to: approach.to },
  }
  const light = simulateLight(scene, screen, { ...usual, lux }, generator(3))
  return {
    timing: { declaredS: endS, sameTime: 0, backSteps: 0, fastestRate: 30 },
    light: light.map((frame) => ({ ...frame, timeS: frame.timeS + approachS })),
    approach: simulateApproach(madeUpHead, nearing, camera, generator(5)),
  } as unknown as ClipFindings
}

const facts: CaptureFacts = {
  challenge: [approach, colours],
  steps: performed,
  frames: { count: Math.ceil(endS * 30), spanS: endS, backSteps: 0, repeatedShare: 0 },
  ageS: 30,
  track: {},
  device: {},
}
const judge = (scene: Scene, second: Partial<CaptureStep> = {}) =>
  judgeCapture({ ...facts, steps: [performed[0], { ...performed[1], ...second }] }, clipOf(scene), endS)

describe('steps that are measured', () => {
  it('a person who comes nearer and is lit answers, with all numbers', () => {
    const { status, reasons, steps } = judge({})
    expect([status, reasons]).toEqual(['answered', []])
    expect(steps).toMatchObject([
      { step: 'approach', status: 'performed', attack: 0, measures: { growth: expect.any(Number) } },
      { step: 'colours', status: 'performed', attack: 0, measures: { contrast: expect.any(Number) } },
    ])
    for (const { measures } of steps!)
      for (const value of Object.values(measures)) expect(value === null || Number.isFinite(value)).toBe(true)
  })

  it('flat pictures answer neither, and score as attacks', () => {
    const { status, reasons, steps } = judge({ nearing: 'zoom', scene: flatScene })
    expect([status, reasons]).toEqual(['missed', ['no_approach', 'no_colours']])
    for (const { attack } of steps!) expect(attack).toBeGreaterThan(0.5)
  })

  it('the light of another session answers nothing', () => {
    const other = drawChallenge({ steps: ['colours'], required: true }, below).steps[0] as AskedColours
    expect(judge({ screen: other.colours }).steps![1]!.status).not.toBe('performed')
  })

  it('in the sun nothing is told, with what to do', () => {
    expect(judge({ lux: 20_000 })).toMatchObject({
      status: 'cannot_tell',
      reasons: ['colours_unclear'],
      steps: [{ status: 'performed' }, { status: 'cannot_tell', advice: 'less_light', attack: null }],
    })
  })

  it('a page that was held up tells nothing, whatever the clip shows', () => {
    const late = shown.map(([timeS, colour], i) => [timeS + (i > 2 ? 0.3 : 0), colour] as const)
    expect(judge({}, { shown: late, toS: endS + 0.3 }).steps![1]).toMatchObject({
      status: 'cannot_tell',
      reasons: ['colours_unclear'],
      advice: 'again',
    })
  })

  it('times that lie do not make another clip answer', () => {
    for (const shiftS of [-0.6, 0.6]) {
      const moved = shown.map(([timeS, colour]) => [timeS + shiftS, colour] as const)
      expect(judge({}, { shown: moved }).status).not.toBe('answered')
    }
  })

  it('a clip that was assessed before anything was measured tells nothing', () => {
    const { light, approach, ...before } = clipOf({})
    expect(judgeCapture(facts, before, endS)).toMatchObject({
      status: 'cannot_tell',
      reasons: ['approach_unclear', 'colours_unclear'],
    })
  })
})

describe('liveness with a measured challenge', () => {
  const pad = { status: 'assessed', attack: 0.1, replay: 0, networks: [] }
  const face = { box: { x: 0, y: 0, width: 200, height: 240 }, confidence: 1 }
  const usualClip = {
    ...{ frames: 100, framesWithoutFace: 0, framesTurned: 0, identity: null, repeatedShare: 0, gestures: {} },
    movement: {
      ...{ status: 'measured', own: 1, uncut: 1, view: 0, tilt: 0, remainder: 1 },
      ...{ blendRemainder: 1, recurrence: 1, jumpRecurrence: 1, light: 0 },
    },
  }
  const medium = (scene: Scene) =>
    ({
      ...{ id: 'm', tags: [], durationS: endS, capture: facts },
      assessment: {
        ...{ faces: [face], subject: { quality: {}, pad, template: { status: 'not_run' } } },
        clip: { ...usualClip, ...clipOf(scene) },
      },
    }) as never
  const decide = (scene: Scene, challengeRequired: boolean) =>
    decideLiveness([medium(scene)], { ...usualLiveness, challengeRequired })
  const flat: Scene = { nearing: 'zoom', scene: flatScene }

  it('its attack score counts as the worst part where it is required, and the reason says so', () => {
    expect(decide({}, true)).toMatchObject({ outcome: { decision: 'SUCCESS' }, worstAttack: 0.1 })
    const { outcome, worstAttack } = decide(flat, true)
    expect(outcome).toMatchObject({
      decision: 'DECLINED',
      reason: expect.stringMatching(/no_approach, no_colours/),
    })
    expect(worstAttack).toBeGreaterThan(0.5)
  })

  it('where it is not required it is recorded alone', () => {
    const { outcome, worstAttack, media } = decide(flat, false)
    expect([outcome, worstAttack]).toEqual([{ status: 'finished', decision: 'SUCCESS' }, 0.1])
    expect(media[0]!.challenge!.status).toBe('missed')
  })

  it('the parts of the score name it where it counts', async () => {
    for (const [isRequired, part] of [
      [true, 0.9],
      [false, undefined],
    ] as const) {
      const parameters = { ...usualLiveness, challengeRequired: isRequired }
      const decided = await liveness.decide({} as never, [medium(flat)], parameters)
      expect(liveness.parts!(medium(flat), decided).challenge).toBe(part)
    }
  })

  it('answers show each step, in the notation of the contract', async () => {
    const parameters = { ...usualLiveness, challengeRequired: true }
    for (const scene of [{}, { lux: 20_000 }]) {
      const decided = await liveness.decide({} as never, [medium(scene)], parameters)
      const { challenges } = livenessView.technical({ type: 'liveness', ...decided } as never) as never
      const [{ steps }] = challenges as [{ steps: { measures: object }[] }]
      expect(steps.map((step) => Object.keys(step))).toEqual(
        Array(2).fill(['step', 'status', 'reasons', 'advice', 'attack', 'measures']),
      )
      expect(Object.keys(steps[1]!.measures)).toContain('delay_s')
    }
  })
})
