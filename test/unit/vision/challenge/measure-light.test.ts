import { describe, expect, it } from 'vitest'
import {
  type LightRecord,
  type LightZone,
  lightZones,
} from '../../../../src/vision/challenge/light-record.ts'
import { measureLight } from '../../../../src/vision/challenge/measure-light.ts'
import type { ScreenColour } from '../../../../src/vision/challenge/screen-light.ts'
import {
  drawSurroundings,
  type Lighting,
  type Surroundings,
  simulateLight,
} from '../../../../tools/accuracy/challenge/lit-curves.ts'
import { normal } from '../../../../tools/accuracy/challenge/random.ts'
import { generator } from '../../../fixtures/gallery.ts'
import { flatScene, madeUpScene } from '../../../fixtures/made-up-scene.ts'

const sequence = (...colours: [string, number][]): ScreenColour[] =>
  colours.map(([colour, ms]) => ({ colour, ms }))

const shown = sequence(
  ['#ffffff', 400],
  ['#0000ff', 600],
  ['#00ff00', 400],
  ['#ff00ff', 600],
  ['#000000', 400],
  ['#00ffff', 400],
  ['#ffff00', 600],
)
const other = sequence(
  ['#00ff00', 600],
  ['#000000', 400],
  ['#ffff00', 400],
  ['#0000ff', 400],
  ['#ffffff', 600],
  ['#ff00ff', 400],
  ['#00ffff', 600],
)

const random = generator(7)
const usual: Surroundings = {
  ...drawSurroundings(random, 200),
  delayS: 0.2,
  screenLux: 40,
  framesPerSecond: 10,
  noise: 0.003,
  movement: 0.005,
}

function measure({
  scene = madeUpScene,
  colours = shown,
  lighting,
  ...around
}: Partial<Surroundings> & { scene?: typeof madeUpScene; colours?: ScreenColour[]; lighting?: Lighting }) {
  const record = simulateLight(scene, colours, { ...usual, ...around }, generator(3), lighting)
  return measureLight(record, { colours: shown }, 0, false)
}

describe('light of a screen on a face', () => {
  it('is found on a solid face, with its delay', () => {
    const found = measure({})
    expect(found).toMatchObject({ status: 'performed', advice: '' })
    expect(found.delayS).toBeGreaterThan(0.1)
    expect(found.delayS).toBeLessThan(0.3)
    expect(found.background!).toBeLessThan(0.3)
    expect(found.sides!).toBeLessThan(0.75)
  })

  it.each([
    [20, null, null],
    [20, 0.4, 2],
    [100, 0.4, 2],
    [400, 0.3, null],
  ])('is found at %s lux with exposure %s and white balance %s', (lux, exposureS, balanceS) => {
    expect(measure({ lux, exposureS, balanceS }).status).toBe('performed')
  })

  it('is not told in the sun', () => {
    expect(measure({ lux: 20_000 })).toMatchObject({
      status: 'cannot_tell',
      advice: 'less_light',
    })
  })

  it.each([20, 200])('is not found if another sequence was shown at %s lux', (lux) => {
    expect(measure({ lux, colours: other }).status).not.toBe('performed')
  })

  it('is not found where no screen shines', () => {
    expect(measure({ screenLux: 0 }).status).not.toBe('performed')
  })

  it.each([0.7, 1, 1.5])('is not found %s s late', (delayS) => {
    expect(measure({ delayS }).status).not.toBe('performed')
  })

  it.each([3, 4, 5, 6])('is not told from the first %s colours, however well they agree', (count) => {
    const endS = shown.slice(0, count).reduce((sum, { ms }) => sum + ms, 0) / 1000
    const record = simulateLight(madeUpScene, shown, usual, generator(3)).filter(
      ({ timeS }) => timeS < endS + usual.delayS,
    )
    expect(measureLight(record, { colours: shown }, 0, false)).toMatchObject({
      status: 'cannot_tell',
      advice: 'hold_still',
    })
  })

  it('is not told where colours are seen in single frames', () => {
    const record = simulateLight(madeUpScene, shown, usual, generator(3))
    const rare = record.filter(({ timeS }, i) => timeS < 1.6 || i % 4 === 0)
    expect(measureLight(rare, { colours: shown }, 0, false).status).toBe('cannot_tell')
  })

  it.each([0.05, 0.45])('is found %s s late', (delayS) => {
    expect(measure({ delayS }).status).toBe('performed')
  })

  it('is not a print', () => {
    expect(measure({ scene: flatScene })).toMatchObject({ status: 'not_performed' })
  })

  it.each(['multiply', 'blend'] as const)('is not a tint over the whole picture: %s', (kind) => {
    const found = measure({ lighting: { kind, strength: 0.15, share: () => 1 } })
    expect(found).toMatchObject({ status: 'not_performed' })
  })

  it('is not a tint over a face, with soft edges', () => {
    const share = (zone: string) =>
      zone.endsWith('Ear')
        ? 0.5
        : zone.endsWith('Side')
          ? 0.85
          : zone.endsWith('Background')
            ? 0
            : zone === 'neck' || zone === 'top'
              ? 0.25
              : 1
    const found = measure({ lighting: { kind: 'multiply', strength: 0.2, share } })
    expect(found).toMatchObject({ status: 'not_performed' })
    expect(found.relief!).toBeLessThan(0.12)
  })

  /** Colours of some zones change by themselves. */
  const flicker = (record: LightRecord, share: number, zones: readonly LightZone[]): LightRecord => {
    const chance = generator(9)
    const change = () => 1 + share * normal(chance)
    return record.map((frame) => {
      const changes = [change(), change(), change()]
      return {
        ...frame,
        colours: frame.colours.map((value, i) =>
          zones.includes(lightZones[Math.floor(i / 3)]!) ? Math.round(value * changes[i % 3]!) : value,
        ),
      }
    })
  }
  const headMask = (zone: string) =>
    zone.endsWith('Background')
      ? 0.02
      : zone === 'top' || zone.endsWith('Ear')
        ? 0.3
        : zone === 'neck'
          ? 0.5
          : 1
  /** The sides are darker, as on a head. */
  const darkSides = { ...madeUpScene }
  for (const zone of ['rightSide', 'leftSide'] as const)
    darkSides[zone] = { ...madeUpScene[zone], colour: [0.17, 0.11, 0.077] }

  it.each([0.05, 0.1, 0.15, 0.25])('is not a tint over a head whose parts flicker by %s', (share) => {
    const lighting = { kind: 'multiply', strength: 0.2, share: headMask } as const
    const tinted = simulateLight(darkSides, shown, usual, generator(3), lighting)
    const record = flicker(flicker(tinted, share, ['nose', 'chin']), share, ['leftSide'])
    const found = measureLight(record, { colours: shown }, 0, false)
    expect(found.status).not.toBe('performed')
  })

  it.each([
    ['brows', ['brows'] as const],
    ['parts of the face', ['rightSide', 'chin', 'nose'] as const],
  ])('is not told where the light on %s is not measured', (_, zones) => {
    const record = flicker(simulateLight(madeUpScene, shown, usual, generator(3)), 0.3, zones)
    const found = measureLight(record, { colours: shown }, 0, false)
    expect(found).toMatchObject({ status: 'cannot_tell' })
  })

  it('is not told where the background and the neck are not in the picture', () => {
    const record = simulateLight(madeUpScene, shown, usual, generator(3)).map((frame) => ({
      ...frame,
      colours: frame.colours.map((value, i) => (i >= 12 * 3 ? -1 : value)),
    }))
    expect(measureLight(record, { colours: shown }, 0, false).status).toBe('cannot_tell')
  })

  it.each([
    ['no frames', [], shown],
    ['no colours', simulateLight(madeUpScene, shown, usual, generator(1)), []],
    [
      'colours that last no time',
      simulateLight(madeUpScene, shown, usual, generator(1)),
      sequence(...shown.map(({ colour }) => [colour, Number.NaN] as [string, number])),
    ],
    [
      'thousands of colours',
      simulateLight(madeUpScene, shown, usual, generator(1)),
      Array.from({ length: 5000 }, () => shown[0]!),
    ],
  ])('answers %s', (_, record, colours) => {
    const found = measureLight(record, { colours }, 0, false)
    expect(found).toMatchObject({ status: 'cannot_tell' })
  })
})
