/** Simulated attacks on the light of a challenge. */
import { drawChallenge } from '../../../src/container/challenge/challenge.ts'
import { invariant } from '../../../src/errors.ts'
import type { LightZone } from '../../../src/vision/challenge/light-record.ts'
import type { ScreenColour } from '../../../src/vision/challenge/screen-light.ts'
import type { Lighting, Scene, ScenePart, Surroundings } from './lit-curves.ts'
import { between, type Random } from './random.ts'

/** Colours as the server draws them. */
export function drawColours(random: Random): readonly ScreenColour[] {
  const below = (count: number) => Math.floor(random() * count)
  const [step] = drawChallenge({ steps: ['colours'], required: true }, below).steps
  invariant(step?.type === 'colours', 'a step of colours is drawn')
  return step.colours
}

/** What a clip shows: a scene, and the light that software or a screen brings into it. */
export interface LitClip {
  scene: Scene
  shown: readonly ScreenColour[]
  lighting: Lighting
  around: Surroundings
}

const outside = new Set<LightZone>([
  'rightEar',
  'leftEar',
  'top',
  'neck',
  'rightBackground',
  'leftBackground',
])
const walls = new Set<LightZone>(['rightBackground', 'leftBackground'])

const relight = (scene: Scene, screen: (zone: LightZone, part: ScenePart) => number): Scene =>
  Object.fromEntries(
    Object.entries(scene).map(([zone, part]) => [zone, { ...part, screen: screen(zone as LightZone, part) }]),
  ) as Scene

const faceShare = (zone: LightZone): number => (outside.has(zone) ? 0 : 1)
const blurredShare = (zone: LightZone): number =>
  walls.has(zone)
    ? 0.02
    : zone === 'neck'
      ? 0.2
      : zone === 'top'
        ? 0.3
        : outside.has(zone)
          ? 0.5
          : zone.endsWith('Side')
            ? 0.85
            : 1

/** How a screen lights an average head. */
const averageLight: Record<LightZone, number> = {
  ...{ forehead: 0.8, nose: 1, rightCheek: 0.85, leftCheek: 0.85, chin: 0.9, brows: 0.85, lips: 1 },
  ...{ rightSide: 0.5, leftSide: 0.5, rightEar: 0.25, leftEar: 0.25, top: 0.35, neck: 0.4 },
  ...{ rightBackground: 0.03, leftBackground: 0.03 },
}

type Attack = (person: LitClip, random: Random) => LitClip

const late =
  (byS: number): Attack =>
  (clip) => ({ ...clip, around: { ...clip.around, delayS: clip.around.delayS + byS } })

const tint =
  (kind: 'multiply' | 'blend', share: (zone: LightZone) => number): Attack =>
  (clip, random) => ({ ...clip, lighting: { kind, strength: between(random, 0.05, 0.4), share } })

/** A picture is lit by its angle to the screen alone, which is nearly the same everywhere; what is beside it is not lit. */
const print =
  (light: (zone: LightZone, part: ScenePart) => number): Attack =>
  (clip) => ({ ...clip, scene: relight(clip.scene, light) })

export const lightAttacks: Readonly<Record<string, Attack>> = {
  'no light': (clip) => ({ ...clip, around: { ...clip.around, screenLux: 0 } }),
  'another sequence': (clip, random) => ({ ...clip, shown: drawColours(random) }),
  'the sequence 0.3 s late': late(0.3),
  'the sequence 0.6 s late': late(0.6),
  'the sequence 1 s late': late(1),
  'tint of the picture, multiplied': tint('multiply', () => 1),
  'tint of the picture, blended': tint('blend', () => 1),
  'tint of the face, multiplied': tint('multiply', faceShare),
  'tint of the face, blended': tint('blend', faceShare),
  'tint by a blurred mask, multiplied': tint('multiply', blurredShare),
  'tint by a blurred mask, blended': tint('blend', blurredShare),
  'tint by an average head, multiplied': tint('multiply', (zone) => averageLight[zone]),
  'tint by an average head, blended': tint('blend', (zone) => averageLight[zone]),
  'flat print': print(() => 0.95),
  'bent print': print((zone) =>
    zone.endsWith('Side') ? 0.8 : zone.endsWith('Ear') ? 0.7 : walls.has(zone) ? 0.55 : 0.95,
  ),
  'cut print': print((zone) => (walls.has(zone) ? 0.05 : 0.95)),
  'cut and bent print': print((zone) =>
    walls.has(zone) ? 0.05 : zone.endsWith('Side') ? 0.75 : zone.endsWith('Ear') ? 0.6 : 0.95,
  ),
  'screen that reflects': (clip, random) => ({
    ...clip,
    lighting: { kind: 'reflect', strength: between(random, 0.0002, 0.004) },
  }),
}
