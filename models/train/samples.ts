/**
 * Prints quantiles of the quality measures of bona fide pictures, and the bias of the embedded profile's PAD score.
 *
 *   node scripts/run.mjs models/train/samples.ts PICTURES_DIR...
 */
import { openBlazeface } from '../../src/vision/detectors/blazeface.ts'
import { classifyWithRecapture } from '../../src/vision/pad/recapture.ts'
import { measureQuality, type SampleQuality } from '../../src/vision/quality.ts'
import { walkFaces } from './faces.ts'
import { openTrainingDeps } from './training-deps.ts'

/** Weight of softness relative to the network in log odds: chosen, not fitted, because real attacks are missing. */
const softnessWeight = 1.5
/** Share of bona fide samples that may be classified as attacks. */
const refusedShare = 0.1

interface Sample {
  quality: SampleQuality
  /** Probability of an attack according to the network. */
  attack: number
}

const shares = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99]

function quantiles(values: readonly number[]): Record<string, number> {
  const sorted = [...values].sort((a, b) => a - b)
  return Object.fromEntries(
    shares.map((share) => [share, Number(sorted[Math.floor(share * sorted.length)]!.toFixed(4))]),
  )
}

const isFrontal = ({ pose }: SampleQuality): boolean =>
  Math.abs(pose.yaw) < 25 && Math.abs(pose.pitch) < 25 && Math.abs(pose.roll) < 25

const folders = process.argv.slice(2)
if (folders.length === 0) throw new Error('usage: samples.ts PICTURES_DIR...')
const deps = await openTrainingDeps()
const samples: Sample[] = []
for await (const { pyramid, face, mesh } of walkFaces(deps, openBlazeface(deps.engine), folders)) {
  const { live } = await classifyWithRecapture(deps.engine, pyramid, face.box)
  samples.push({
    quality: measureQuality(pyramid, face, mesh),
    attack: Math.min(0.9999, Math.max(0.0001, 1 - live)),
  })
}

const frontal = samples.filter(({ quality }) => isFrontal(quality) && quality.sharpness >= 0.02)
const usual = [...frontal.map(({ quality }) => quality.sharpness)].sort((a, b) => a - b)[
  Math.floor(frontal.length / 2)
]!
const odds = frontal
  .map(
    ({ quality, attack }) =>
      Math.log(attack / (1 - attack)) + softnessWeight * Math.log(usual / quality.sharpness),
  )
  .sort((a, b) => a - b)
const measures = [
  'sharpness',
  'brightness',
  'underexposed',
  'overexposed',
  'noise',
  'eyesHidden',
  'mouthHidden',
] as const
const report = {
  faces: samples.length,
  quality: Object.fromEntries(
    measures.map((name) => [name, quantiles(samples.map(({ quality }) => quality[name]))]),
  ),
  embedded: {
    faces: frontal.length,
    usualSharpness: usual,
    bias: -odds[Math.floor(odds.length * (1 - refusedShare))]!,
  },
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
