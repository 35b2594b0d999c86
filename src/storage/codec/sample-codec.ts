/** The facts that the assessment of a medium found, as a short JSON list that begins with the version of its form. */
import * as v from 'valibot'
import { invariant } from '../../errors.ts'
import type { SampleFacts } from '../../records/medium.ts'
import { clipEvidence, type Frozen, measure, parseStored } from './forms.ts'

const version = 1

const qualityForm = v.tuple([
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
  measure,
])

/** Version, number of faces, quarter turns, quality, evidence of a clip. */
const sampleForm = v.tuple([
  v.literal(version),
  v.number(),
  v.number(),
  v.nullable(qualityForm),
  v.nullable(clipEvidence),
])

type Quality = NonNullable<SampleFacts['quality']>

const packQuality = ({ pose, ...quality }: Quality): v.InferInput<typeof qualityForm> => [
  quality.faceSide,
  quality.faceShare,
  quality.sharpness,
  quality.brightness,
  quality.underexposed,
  quality.overexposed,
  quality.noise,
  pose.yaw,
  pose.pitch,
  pose.roll,
  quality.eyesHidden,
  quality.mouthHidden,
  quality.colour,
  quality.surroundings,
  quality.blockiness,
]

function unpackQuality(measures: v.InferOutput<typeof qualityForm>): Quality {
  const [faceSide, faceShare, sharpness, brightness, underexposed, overexposed, ...others] = measures
  const [noise, yaw, pitch, roll, eyesHidden, mouthHidden, colour, surroundings, blockiness] = others
  return {
    faceSide,
    faceShare,
    sharpness,
    brightness,
    underexposed,
    overexposed,
    noise,
    pose: { yaw, pitch, roll },
    eyesHidden,
    mouthHidden,
    colour,
    surroundings,
    blockiness,
  }
}

export function encodeSample({ faces, quarterTurns, quality, clip }: SampleFacts): string {
  const form: Frozen<v.InferInput<typeof sampleForm>> = [
    ...([version, faces, quarterTurns] as const),
    quality && packQuality(quality),
    clip ?? null,
  ]
  return JSON.stringify(v.parse(sampleForm, form))
}

/** @throws {TypeError} for what is damaged, or of another version */
export function decodeSample(text: string): SampleFacts {
  const { success, output } = v.safeParse(sampleForm, parseStored(text), { abortEarly: true })
  invariant(success, 'a stored sample has the form of this release')
  const [, faces, quarterTurns, quality, clip] = output
  return { faces, quarterTurns, quality: quality && unpackQuality(quality), ...(clip ? { clip } : {}) }
}
