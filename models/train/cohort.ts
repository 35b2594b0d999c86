/**
 * Makes the cohort of averaged templates and prints the figures its thresholds stand on.
 *
 *   node --import tsx models/train/cohort.ts OUT.f16 PICTURES_DIR...
 *
 * Templates of all clear faces in the pictures are averaged in pairs of different people from different pictures, so
 * that no member is anybody's template. Strangers are pairs of faces on one picture; each half of the pictures is
 * measured with a cohort made from the other half.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Cohort, openCohort, writeCohort } from '../../src/decide/cohort.ts'
import { compareTemplates, placeTemplate } from '../../src/decide/comparison.ts'
import { decodeImage, inspectImage } from '../../src/media/decode-image.ts'
import { detectFaces } from '../../src/vision/detect.ts'
import { faceSide } from '../../src/vision/face.ts'
import { meshFace } from '../../src/vision/facemesh.ts'
import { extractTemplate, type Template, templateModelId } from '../../src/vision/template.ts'
import { yunet } from '../../src/vision/yunet.ts'
import { sha256 } from '../build/sources.ts'
import { openTrainingParts } from './parts.ts'

interface Face {
  picture: number
  template: Template
}

const members = 1500
const faceSideMin = 48
const confidenceMin = 0.8
const presenceMin = 0.9
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
  const { engine, codecs } = await openTrainingParts()
  const finder = yunet(engine)
  const files: string[] = []
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort()
    files.push(...names.map((name) => path.join(folder, name)))
  }
  const faces: Face[] = []
  for (const [picture, file] of files.entries()) {
    const bytes = new Uint8Array(await readFile(file))
    const decoded = await decodeImage(codecs, bytes, inspectImage(bytes, { pixelsMax: 1e8 }))
    const { image, faces: found } = await detectFaces(finder, decoded)
    for (const face of found) {
      if (faceSide(face) < faceSideMin || face.confidence < confidenceMin) continue
      const mesh = await meshFace(engine, image, face)
      if (mesh.presence < presenceMin) continue
      faces.push({ picture, template: await extractTemplate(engine, image, mesh) })
    }
    if (picture % 25 === 0)
      process.stderr.write(`\r${picture} of ${files.length} pictures, ${faces.length} faces `)
  }
  process.stderr.write('\n')
  return faces
}

const euclidean = (a: Float32Array, b: Float32Array): number =>
  Math.hypot(...a.map((value, i) => value - b[i]!))

function averagePairs(faces: readonly Face[]): Float32Array[] {
  const random = generator(7)
  const draw = () => faces[Math.floor(random() * faces.length)]!
  const averages: Float32Array[] = []
  while (averages.length < members) {
    const [a, b] = [draw(), draw()]
    if (a.picture === b.picture) continue
    if (euclidean(a.template.vector, b.template.vector) < samePersonDistance) continue
    averages.push(a.template.vector.map((value, i) => (value + b.template.vector[i]!) / 2))
  }
  return averages
}

/** Normalised distances of strangers, smallest first. */
function strangers(faces: readonly Face[], isPair: (a: Face, b: Face) => boolean): number[] {
  const distances: number[] = []
  for (const half of [0, 1]) {
    const cohort: Cohort = openCohort(
      'half',
      averagePairs(faces.filter(({ picture }) => picture % 2 !== half)),
    )
    const measured = faces.filter(({ picture }) => picture % 2 === half)
    const placed = measured.map(({ template }) => placeTemplate(cohort, template))
    for (let i = 0; i < placed.length; i++) {
      for (let j = i + 1; j < placed.length; j++) {
        if (isPair(measured[i]!, measured[j]!)) {
          distances.push(compareTemplates(placed[i]!, placed[j]!).normalisedDistance)
        }
      }
    }
  }
  return distances.sort((a, b) => a - b)
}

const [out, ...folders] = process.argv.slice(2)
if (!out || folders.length === 0) throw new Error('usage: cohort.ts OUT.f16 PICTURES_DIR...')
const faces = await readFaces(folders)
const bytes = writeCohort(averagePairs(faces))
await writeFile(out, bytes)

const together = strangers(faces, (a, b) => a.picture === b.picture)
/** Neighbours in the listing are often of one event and may show a person twice. */
const apart = strangers(faces, (a, b) => Math.abs(a.picture - b.picture) > 20)
const report = {
  templates: templateModelId,
  faces: faces.length,
  members,
  sha256: sha256(bytes),
  strangersTogether: together.length,
  strangersApart: apart.length,
  operatingPoints: [0.01, 0.005, 0.002, 0.001].map((fmr) => {
    const distance = together[Math.floor(together.length * fmr)]!
    return {
      fmrTogether: fmr,
      distance,
      fmrApart: apart.filter((value) => value < distance).length / apart.length,
    }
  }),
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
