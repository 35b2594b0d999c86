/**
 * Makes the cohort of averaged templates and prints the figures its threshold stands on.
 *
 *   node scripts/run.mjs models/train/cohort.ts OUT.f16 PICTURES_DIR...
 *
 * Templates of clear faces are averaged in pairs of different people from different pictures, so that no member is
 * anybody's template. Strangers are pairs of faces of one picture (hard: same place, same camera, often related) and of
 * pictures far apart. When a face is measured, members made from its own or neighbouring pictures are left out.
 */
import { writeFile } from 'node:fs/promises'
import { type Cohort, openCohort, writeCohort } from '../../src/decide/cohort.ts'
import { compareTemplates, placeTemplate } from '../../src/decide/comparison.ts'
import { measureQuality } from '../../src/vision/quality.ts'
import { extractTemplate, type Template, templateModelId } from '../../src/vision/template.ts'
import { yunet } from '../../src/vision/yunet.ts'
import { sha256 } from '../build/sources.ts'
import { facesOf } from './faces.ts'
import { openTrainingParts } from './parts.ts'

interface Face {
  picture: number
  template: Template
}

interface Member {
  pictures: readonly [number, number]
  vector: Float32Array
}

const memberCount = 1500
const sharpnessMin = 0.03
/** Pictures this close in the listing are often of one event and may show a person twice. */
const neighbourhood = 20
/** Euclidean distance of templates below which two faces may be one person. */
const samePersonDistance = 0.5

/** A repeatable source of numbers 0…1 (the linear congruential generator of Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

async function readFaces(folders: readonly string[]): Promise<Face[]> {
  const parts = await openTrainingParts()
  const faces: Face[] = []
  for await (const { picture, pyramid, face, mesh } of facesOf(parts, yunet(parts.engine), folders)) {
    if (measureQuality(pyramid, face, mesh).sharpness < sharpnessMin) continue
    faces.push({ picture, template: await extractTemplate(parts.engine, pyramid, mesh) })
  }
  return faces
}

const euclidean = (a: Float32Array, b: Float32Array): number =>
  Math.hypot(...a.map((value, i) => value - b[i]!))

function averagePairs(faces: readonly Face[]): Member[] {
  const random = generator(7)
  const draw = () => faces[Math.floor(random() * faces.length)]!
  const pairs: Member[] = []
  while (pairs.length < memberCount) {
    const [a, b] = [draw(), draw()]
    if (a.picture === b.picture) continue
    if (euclidean(a.template.vector, b.template.vector) < samePersonDistance) continue
    const vector = a.template.vector.map((value, i) => (value + b.template.vector[i]!) / 2)
    pairs.push({ pictures: [a.picture, b.picture], vector })
  }
  return pairs
}

/** The cohort without the members that were made from pictures around one picture. */
function without(members: readonly Member[], picture: number): Cohort {
  const kept = members.filter(({ pictures }) =>
    pictures.every((other) => Math.abs(other - picture) > neighbourhood),
  )
  return openCohort(
    'rest',
    kept.map(({ vector }) => vector),
  )
}

/** Normalised distances of strangers, smallest first. */
function strangerDistances(faces: readonly Face[], members: readonly Member[]) {
  const cohorts = new Map<number, Cohort>()
  const placed = faces.map(({ picture, template }) => {
    const rest = cohorts.get(picture) ?? without(members, picture)
    cohorts.set(picture, rest)
    return placeTemplate(rest, template)
  })
  const [together, apart]: [number[], number[]] = [[], []]
  for (let i = 0; i < faces.length; i++) {
    for (let j = i + 1; j < faces.length; j++) {
      const gap = Math.abs(faces[i]!.picture - faces[j]!.picture)
      if (gap > 0 && gap <= neighbourhood) continue
      const distance = compareTemplates(placed[i]!, placed[j]!).normalisedDistance
      if (gap === 0) together.push(distance)
      else apart.push(distance)
    }
  }
  return { together: together.sort((a, b) => a - b), apart: apart.sort((a, b) => a - b) }
}

const [out, ...folders] = process.argv.slice(2)
if (!out || folders.length === 0) throw new Error('usage: cohort.ts OUT.f16 PICTURES_DIR...')
const faces = await readFaces(folders)
const members = averagePairs(faces)
const bytes = writeCohort(members.map(({ vector }) => vector))
await writeFile(out, bytes)

const { together, apart } = strangerDistances(faces, members)
const below = (distances: readonly number[], limit: number) =>
  distances.filter((distance) => distance < limit).length / distances.length
const report = {
  templates: templateModelId,
  faces: faces.length,
  members: members.length,
  sha256: sha256(bytes),
  medianApart: apart[Math.floor(apart.length / 2)],
  strangersTogether: together.length,
  strangersApart: apart.length,
  operatingPoints: [0.0001, 0.0003, 0.001, 0.003].map((fmr) => {
    const distance = apart[Math.floor(apart.length * fmr)]!
    return { fmrApart: fmr, distance, fmrTogether: below(together, distance) }
  }),
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
