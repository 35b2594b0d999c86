/**
 * Prints the errors of attack detection by how much picture there is around the face, and how much higher the bias with plenty of it
 * may be (`src/vision/pad/weights.ts`): so that at most one in fifty people of the fit set is declined. `MODEL_PROFILE` and
 * `MODEL_ORIGIN` count as for the server. The first command lists the faces whose pictures reach far enough around them.
 *
 *   node scripts/run.mjs models/train/framing.ts faces PICTURES_DIR >boxes.json
 *   python3 models/train/recapture.py windows --boxes boxes.json --groups groups.json --out WINDOWS
 *   python3 models/train/recapture.py captures --windows WINDOWS --seed 34 --out DIR
 *   node scripts/run.mjs models/train/framing.ts bias DIR
 */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import { hasSecondSubject } from '../../src/decide/sample.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { faceSide } from '../../src/vision/face.ts'
import { interpolateWeight, reliableSample } from '../../src/vision/pad/pad-method.ts'
import { assessAll } from '../../tools/accuracy/assess-all.ts'
import { groupBy } from '../../tools/accuracy/group-by.ts'
import { measuredSettings } from '../../tools/accuracy/measured-settings.ts'
import { readTables } from '../../tools/accuracy/tables.ts'

/** Share of bona fide samples with plenty of surroundings that may be classified as attacks. */
const refusedShare = 0.02
/** Parts of the sources that are left out in turn. */
const folds = 5
const thresholds = [0.2, 0.5, 0.8]
/** Lower bounds of `surroundings`. */
const framings = [0, 1.25, 1.5, 2]
/** Captures of people who are there, without a simulated camera. */
const people = 'bona fide'

interface Sample {
  source: string
  /** The capture that it is cropped from. */
  capture: string
  bonaFide: boolean
  detail: string
  surroundings: number
  attack: number
}

const platform = await openServerPlatform('node', measuredSettings())

/** Faces of single people: frontal, in focus, in colour, with a picture of nearly two face sides. */
async function listFaces(folder: string) {
  const files = (await readdir(folder)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort()
  const { assessments } = await assessAll(folder, files, platform)
  const isUsable = (assessment: Assessment) => {
    const { subject, faces, quarterTurns, source } = assessment
    if (!subject || quarterTurns > 0 || faces[0]!.confidence < 0.8) return false
    const { sharpness, colour, pose } = subject.quality
    const side = faceSide(faces[0]!)
    return (
      side >= 100 &&
      Math.min(source.width, source.height) >= 1.9 * side &&
      sharpness >= 0.03 &&
      colour >= reliableSample.colourMin &&
      Math.abs(pose.yaw) < 25 &&
      !hasSecondSubject({ assessment, tags: [] })
    )
  }
  return files.flatMap((file) => {
    const assessment = assessments.get(file)
    if (!assessment || !isUsable(assessment)) return []
    const { box, confidence } = assessment.faces[0]!
    return [
      { f: path.resolve(folder, file), faces: [{ s: confidence, b: [box.x, box.y, box.width, box.height] }] },
    ]
  })
}

async function assessCaptures(folder: string): Promise<Sample[]> {
  const { labels } = await readTables(folder)
  const { assessments } = await assessAll(
    folder,
    labels.map(({ file }) => file),
    platform,
  )
  return labels.flatMap(({ file, bonaFide, detail }) => {
    const subject = assessments.get(file)?.subject
    if (subject?.pad.status !== 'assessed') return []
    const { surroundings } = subject.quality
    const [, source] = file.split('/')
    return [
      {
        source: source!,
        capture: path.dirname(file),
        bonaFide,
        detail,
        surroundings,
        attack: subject.pad.attack,
      },
    ]
  })
}

const percent = (count: number, of: number): string => ((100 * count) / of).toFixed(1)

/** Per cent of errors at the thresholds. */
const errors = (samples: readonly Sample[]): string =>
  thresholds
    .map((threshold) =>
      percent(
        samples.filter(({ attack, bonaFide }) => attack >= threshold === bonaFide).length,
        samples.length,
      ),
    )
    .join(', ')

/** Of each capture the crop that looks least like an attack: an attacker chooses. */
const chooseCrops = (samples: readonly Sample[]): Sample[] =>
  [...groupBy(samples, ({ capture }) => capture).values()].map((crops) =>
    crops.reduce((best, crop) => (crop.attack < best.attack ? crop : best)),
  )

function printErrors(samples: readonly Sample[]): void {
  const cell = (of: readonly Sample[]) => (of.length === 0 ? '–' : `${errors(of)} of ${of.length}`)
  const columns = framings.map((from, i) => ({ from, below: framings[i + 1] ?? Number.POSITIVE_INFINITY }))
  const heads = columns.map(({ from, below }) =>
    Number.isFinite(below) ? `under ${below}` : `${from} and more`,
  )
  const lines = [...groupBy(samples, ({ detail }) => detail)].map(([detail, of]) => [
    detail,
    ...columns.map(({ from, below }) =>
      cell(of.filter(({ surroundings }) => surroundings >= from && surroundings < below)),
    ),
    of[0]!.bonaFide ? '–' : cell(chooseCrops(of)),
  ])
  const table = [['surroundings', ...heads, 'the best crop'], lines[0]!.map(() => '---'), ...lines]
  process.stdout.write(`${table.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`)
}

/** How much higher the log odds may be until too many people with plenty of surroundings are declined. */
function measureMargin(samples: readonly Sample[]): number {
  const odds = samples
    .filter(
      ({ detail, surroundings }) => detail === people && interpolateWeight([1, 0], { surroundings }) === 1,
    )
    .map(({ attack }) => Math.log(attack / (1 - attack)))
    .sort((a, b) => a - b)
  return -odds[Math.floor(odds.length * (1 - refusedShare))]!
}

const [task, folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: framing.ts (faces | bias) DIR')
if (task === 'faces') process.stdout.write(`${JSON.stringify(await listFaces(folder), null, 1)}\n`)
else {
  const samples = await assessCaptures(folder)
  printErrors(samples)
  const sources = [...new Set(samples.map(({ source }) => source))].sort()
  const margins = Array.from({ length: folds }, (_, fold) =>
    measureMargin(samples.filter(({ source }) => sources.indexOf(source) % folds !== fold)),
  )
  const range = [Math.min(...margins), Math.max(...margins)].map((margin) => margin.toFixed(2)).join(' to ')
  process.stdout.write(
    `\nThe bias with plenty of surroundings may change by ${measureMargin(samples).toFixed(2)} (without a fifth of the sources: ${range}).\n`,
  )
}
await platform.assessor.close()
