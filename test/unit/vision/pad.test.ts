/** How the scores of networks are combined to an attack score, with fake networks. */

import { describe, expect, it } from 'vitest'
import type { Engine, ModelId, Tensor } from '../../../src/inference/engine.ts'
import { openPadMethod } from '../../../src/vision/pad/pad-method.ts'
import type { SampleQuality } from '../../../src/vision/quality.ts'
import { faceIn } from '../../fixtures/assessments.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

/** Order of the classes of each network. */
interface Classes {
  live: number
  print: number
  replay: number
}

const outputs: Partial<Record<ModelId, (classes: Classes) => [name: string, values: number[]]>> = {
  'minifasnet-v2': ({ live, print, replay }) => ['logits', [print, live, replay].map(Math.log)],
  'minifasnet-v1se': ({ live, print, replay }) => ['logits', [print, live, replay].map(Math.log)],
  'faceplugin-liveness': ({ live, print, replay }) => ['output', [live, print, replay].map(Math.log)],
  'recapture-1': ({ live, print, replay }) => ['probabilities', [live, print, replay]],
}

const networksThatSay = (opinions: Partial<Record<ModelId, Classes>>): Engine => ({
  async run(model) {
    const [name, values] = outputs[model]!(opinions[model]!)
    const tensor: Tensor = { data: Float32Array.from(values), shape: [1, 3] }
    return { [name]: tensor }
  },
})

const face = faceIn({ x: 60, y: 60, width: 80, height: 80 })
/** Usual sharpness, so that softness has no effect, and full reliability. */
const plain = {
  faceSide: 80,
  sharpness: 0.132,
  colour: 20,
  surroundings: 3,
  blockiness: 1,
} as SampleQuality

/** Log odds of the attack score. */
async function odds(
  opinions: Partial<Record<ModelId, Classes>>,
  quality: SampleQuality = plain,
): Promise<number> {
  const pad = openPadMethod(networksThatSay(opinions), Object.keys(opinions) as ModelId[])
  const { attack } = await pad(toPyramid(ramp(200, 200)), face, quality)
  return Math.log(attack / (1 - attack))
}

const live = (share: number): Classes => ({
  live: share,
  print: (1 - share) * 0.75,
  replay: (1 - share) * 0.25,
})
/** Log odds of a network that gives this probability of a live face. */
const oddsOf = (share: number): number => Math.log((1 - share) / share)

describe('attack scores', () => {
  it.each<[string, Record<ModelId, [weight: number, live: number]>, bias: number]>([
    [
      'standard',
      { 'minifasnet-v2': [0.25, 0.9], 'minifasnet-v1se': [0.5, 0.3], 'faceplugin-liveness': [0.4, 0.6] },
      0.3,
    ],
    ['standard, documented', { 'minifasnet-v2': [0.5, 0.9], 'minifasnet-v1se': [0.75, 0.3] }, -0.7],
    ['embedded', { 'faceplugin-liveness': [0.6, 0.2], 'recapture-1': [0.3, 0.7] }, -0.5],
    ['embedded, documented', { 'recapture-1': [1, 0.2] }, -0.51],
  ])('of profile %s are the weighted log odds of its networks', async (_, said, bias) => {
    const opinions = Object.fromEntries(Object.entries(said).map(([id, [, share]]) => [id, live(share)]))
    const expected = Object.values(said).reduce((sum, [weight, share]) => sum + weight * oddsOf(share), bias)
    expect(await odds(opinions)).toBeCloseTo(expected, 4)
  })

  /** Log odds with these surroundings before doubt reduces them. */
  const certainOdds = async (opinions: Partial<Record<ModelId, Classes>>, surroundings: number) =>
    (await odds(opinions, { ...plain, surroundings })) / (surroundings < 1.5 ? 0.5 : 1)
  /** Networks of `standard` that cannot tell. */
  const undecided = {
    'minifasnet-v2': live(0.5),
    'minifasnet-v1se': live(0.5),
    'faceplugin-liveness': live(0.5),
  }

  it('weigh the inner face, a second view of V1SE, more with fewer surroundings', async () => {
    const opinions = { ...undecided, 'minifasnet-v1se': live(0.1) }
    const counted = async (surroundings: number) =>
      ((await certainOdds(opinions, surroundings)) - (await certainOdds(undecided, surroundings))) /
      oddsOf(0.1)
    // With surroundings and alone.
    expect(await counted(2)).toBeCloseTo(0.25 + 0.25, 4)
    expect(await counted(1.625)).toBeCloseTo(0.2 + 0.425, 4)
    expect(await counted(1)).toBeCloseTo(0.15 + 0.6, 4)
  })

  it('have a higher bias with more surroundings in the profile for which it was fitted', async () => {
    expect(await certainOdds(undecided, 0.9)).toBeCloseTo(-0.6, 4)
    expect(await certainOdds(undecided, 1.25)).toBeCloseTo(-0.6, 4)
    expect(await certainOdds(undecided, 1.625)).toBeCloseTo(-0.15, 4)
    expect(await certainOdds(undecided, 2)).toBeCloseTo(0.3, 4)
    expect(await certainOdds(undecided, 40)).toBeCloseTo(0.3, 4)
    for (const models of [
      ['minifasnet-v2', 'minifasnet-v1se'],
      ['faceplugin-liveness', 'recapture-1'],
      ['recapture-1'],
    ]) {
      const opinions = Object.fromEntries(models.map((model) => [model, live(0.5)]))
      expect(await certainOdds(opinions, 40)).toBeCloseTo(await certainOdds(opinions, 1), 4)
    }
  })

  it('do not jump with the surroundings, and rise with a network at any of them', async () => {
    let before = await certainOdds(undecided, 1)
    for (let surroundings = 1.05; surroundings < 2.2; surroundings += 0.05) {
      const now = await certainOdds(undecided, surroundings)
      expect(now).toBeGreaterThanOrEqual(before - 1e-6)
      expect(now - before).toBeLessThan(0.1)
      const worse = { ...undecided, 'minifasnet-v2': live(0.4) }
      expect(await certainOdds(worse, surroundings)).toBeGreaterThan(now)
      before = now
    }
  })

  it('rise with softness by the weight of the profile', async () => {
    const soft = { ...plain, sharpness: 0.132 / Math.E }
    const documented = { 'recapture-1': live(0.5) }
    expect((await odds(documented, soft)) - (await odds(documented))).toBeCloseTo(1.5, 4)
    const standard = { 'minifasnet-v2': live(0.5), 'minifasnet-v1se': live(0.5) }
    expect((await odds(standard, soft)) - (await odds(standard))).toBeCloseTo(0.5, 4)
    // Bounded on both sides.
    expect((await odds(standard, { ...plain, sharpness: 0 })) - (await odds(standard))).toBeCloseTo(1.25, 4)
    expect((await odds(standard, { ...plain, sharpness: 9 })) - (await odds(standard))).toBeCloseTo(-0.75, 4)
  })

  it('keep their sign and lose half of their log odds with each violated bound of the sample', async () => {
    const opinions = { 'recapture-1': live(0.05) }
    const sure = await odds(opinions)
    for (const doubt of [{ colour: 0.5 }, { surroundings: 1.2 }, { blockiness: 3 }, { faceSide: 40 }])
      expect(await odds(opinions, { ...plain, ...doubt })).toBeCloseTo(sure / 2, 4)
    expect(await odds(opinions, { ...plain, colour: 0.5, blockiness: 3 })).toBeCloseTo(sure / 4, 4)
  })

  it('limit the log odds of each network to 5', async () => {
    expect(await odds({ 'recapture-1': { live: 0, print: 1, replay: 0 } })).toBeCloseTo(5 - 0.51, 3)
  })

  it('come with the mean replay probability and the ids of the networks', async () => {
    const opinions = {
      'faceplugin-liveness': live(0.9),
      'recapture-1': { live: 0.2, print: 0.1, replay: 0.7 },
    }
    const pad = openPadMethod(networksThatSay(opinions), ['faceplugin-liveness', 'recapture-1'])
    const evidence = await pad(toPyramid(ramp(200, 200)), face, plain)
    // The package's network does not distinguish replays.
    expect(evidence.replay).toBeCloseTo(0.7, 6)
    expect(evidence.modelIds).toEqual(['faceplugin-liveness', 'recapture-1'])
  })

  describe('of doubtful pictures', () => {
    /** Networks that trust pictures in warm light more than others. */
    const trustWarmLight = (inWarm: number, inColder: number) => {
      let runs = 0
      const engine: Engine = {
        async run(model, { data }) {
          runs++
          const plane = data.length / 3
          const mean = (from: number) =>
            data.subarray(from, from + plane).reduce((sum, value) => sum + value, 0)
          const isWarm = mean(2 * plane) > 1.6 * mean(0)
          return networksThatSay({ [model]: live(isWarm ? inWarm : inColder) }).run(model, {
            data,
            shape: [],
          })
        },
      }
      return { engine, runs: () => runs }
    }
    const models: ModelId[] = ['minifasnet-v2', 'minifasnet-v1se']
    const warm = ramp(200, 200)
    for (let at = 0; at < warm.data.length; at += 4) {
      warm.data[at] = 60 + (at % 90)
      warm.data[at + 1] = warm.data[at]! * 0.8
      warm.data[at + 2] = warm.data[at]! * 0.6
    }
    const attackOf = async (networks: { engine: Engine }, quality = plain) => {
      const { attack } = await openPadMethod(networks.engine, models)(toPyramid(warm), face, quality)
      return Math.log(attack / (1 - attack))
    }

    it('rise to the mean with those in colder light, so that warmer light hides fewer attacks', async () => {
      const networks = trustWarmLight(0.5, 0.1)
      expect(await attackOf(networks)).toBeCloseTo(-0.7 + (1.25 * oddsOf(0.1)) / 2, 4)
      expect(networks.runs()).toBe(6)
    })

    it('never fall in colder light', async () => {
      expect(await attackOf(trustWarmLight(0.5, 0.9))).toBeCloseTo(-0.7, 4)
    })

    it.each([0.9, 0.1])(
      'are looked at again neither far below nor above the bound (live: %f)',
      async (share) => {
        const networks = trustWarmLight(share, 0.5)
        await attackOf(networks)
        expect(networks.runs()).toBe(3)
      },
    )

    it('are judged once, and without their tint, if they are grey apart from it', async () => {
      const networks = trustWarmLight(0.5, 0.1)
      expect(await attackOf(networks, { ...plain, colour: 0.5 })).toBeCloseTo(
        (-0.7 + 1.25 * oddsOf(0.1)) / 2,
        4,
      )
      expect(networks.runs()).toBe(3)
    })
  })

  it('are refused for combinations of networks without weights', () => {
    expect(() => openPadMethod(networksThatSay({}), ['minifasnet-v2'])).toThrow(TypeError)
    expect(() => openPadMethod(networksThatSay({}), [])).toThrow(TypeError)
  })
})
