/** The facts that the assessment of a medium found, as a short JSON list that begins with the version of its form. */
import * as v from 'valibot'
import { invariant } from '../../errors.ts'
import type { SampleFacts } from '../../records/medium.ts'
import { clipEvidence, type Frozen, known, parseStored } from './forms.ts'

const version = 1

type Quality = NonNullable<SampleFacts['quality']>
type Measures = Omit<Quality, 'pose'> & Quality['pose']

/** Where each measure stands in the list. */
const places: Readonly<Record<keyof Measures, number>> = {
  faceSide: 0,
  faceShare: 1,
  sharpness: 2,
  brightness: 3,
  underexposed: 4,
  overexposed: 5,
  noise: 6,
  yaw: 7,
  pitch: 8,
  roll: 9,
  eyesHidden: 10,
  mouthHidden: 11,
  colour: 12,
  surroundings: 13,
  blockiness: 14,
}
const names = (Object.keys(places) as (keyof Measures)[]).sort((a, b) => places[a] - places[b])
const qualityForm = v.pipe(v.array(known), v.length(names.length))

function packQuality({ pose, ...others }: Quality): number[] {
  const measures: Measures = { ...others, ...pose }
  return names.map((name) => measures[name])
}

function unpackQuality(list: readonly number[]): Quality {
  const measures = Object.fromEntries(names.map((name, index) => [name, list[index]!])) as Record<
    keyof Measures,
    number
  >
  const { yaw, pitch, roll, ...others } = measures
  return { ...others, pose: { yaw, pitch, roll } }
}

/** Version, number of faces, quarter turns, quality, evidence of a clip, places of the right and the left eye, which earlier releases lack. */
const sampleForm = v.tuple([
  v.literal(version),
  v.number(),
  v.number(),
  v.nullable(qualityForm),
  v.nullable(clipEvidence),
  v.nullish(v.tuple([known, known, known, known])),
])

export function encodeSample({ faces, quarterTurns, quality, clip, eyes }: SampleFacts): string {
  const form: Frozen<v.InferInput<typeof sampleForm>> = [
    ...([version, faces, quarterTurns] as const),
    quality && packQuality(quality),
    clip ?? null,
    eyes ? [eyes.right.x, eyes.right.y, eyes.left.x, eyes.left.y] : null,
  ]
  return JSON.stringify(v.parse(sampleForm, form))
}

/** @throws {TypeError} for what is damaged, or of another version */
export function decodeSample(text: string): SampleFacts {
  const { success, output } = v.safeParse(sampleForm, parseStored(text), { abortEarly: true })
  invariant(success, 'a stored sample has the form of this release')
  const [, faces, quarterTurns, quality, clip, eyes] = output
  return {
    ...{ faces, quarterTurns, quality: quality && unpackQuality(quality) },
    ...(clip ? { clip } : {}),
    ...(eyes ? { eyes: { right: { x: eyes[0], y: eyes[1] }, left: { x: eyes[2], y: eyes[3] } } } : {}),
  }
}
