/** Measures the face detector of the current profile on annotated faces, on original and altered portraits, and without faces. */

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openProfileMethods, type ProfileMethods } from '../../src/assess/assessor-deps.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { type Detection, detectFaces } from '../../src/vision/detect.ts'
import { type FaceMesh, meshIndex } from '../../src/vision/facemesh.ts'
import { distance, midpoint, type Point } from '../../src/vision/geometry.ts'
import { toPyramid } from '../../test/fixtures/codecs.ts'
import { decode } from '../../test/fixtures/portraits.ts'
import { alterations } from './altered-pictures.ts'
import {
  addCounts,
  countFound,
  countOneFaces,
  type DetectionReport,
  detectionText,
  type FoundCounts,
  type OneFace,
} from './detect-report.ts'
import { filesBelow, isPicture, readTrueFaces } from './face-truth.ts'
import { readTables } from './tables.ts'

interface Seen extends Detection {
  ms: number
}

const readPicture = async (file: string): Promise<RgbaImage> => decode(new Uint8Array(await readFile(file)))

async function see({ detector, landmarks }: FaceMethods, image: RgbaImage): Promise<Seen> {
  const start = performance.now()
  const detection = await detectFaces(detector, landmarks, toPyramid(image))
  return { ...detection, ms: performance.now() - start }
}

/** Position of a point after a number of clockwise quarter turns of a picture of this size. */
function rotatePoint({ x, y }: Point, { width, height }: RgbaImage, quarterTurns: number): Point {
  if (quarterTurns === 1) return { x: height - y, y: x }
  if (quarterTurns === 2) return { x: width - x, y: height - y }
  return quarterTurns === 3 ? { x: y, y: width - x } : { x, y }
}

const eyesOf = ({ points }: FaceMesh): [Point, Point] => [
  points[meshIndex.rightEyeOuter]!,
  points[meshIndex.leftEyeOuter]!,
]

/** Maximum error of landmarks, relative to the eye distance. */
const eyesOffMax = 0.2
const rivalShare = 0.5

/** @param eyes true positions of the outer corners of the subject's eyes in the picture */
function judge(seen: Seen, image: RgbaImage, eyes: readonly [Point, Point]): OneFace {
  const [right, left] = eyes.map((eye) => rotatePoint(eye, image, seen.quarterTurns)) as [Point, Point]
  const centre = midpoint(right, left)
  const apart = distance(right, left)
  const off = seen.mesh && eyesOf(seen.mesh)
  const [first, second] = seen.faces.map(({ box }) => box.height).sort((a, b) => b - a)
  return {
    isFound: seen.faces.some(
      ({ box }) =>
        Math.abs(box.x + box.width / 2 - centre.x) < box.width / 2 &&
        Math.abs(box.y + box.height / 2 - centre.y) < box.height / 2,
    ),
    isAligned: off !== null && distance(off[0], right) + distance(off[1], left) < 2 * eyesOffMax * apart,
    hasSecondSubject: second !== undefined && second >= first! * rivalShare,
  }
}

const notFound: OneFace = { isFound: false, isAligned: false, hasSecondSubject: false }

/** Measures each picture, and a number of them altered. The expected position in an altered picture is computed from the original. */
async function measurePortraits(look: Look, files: readonly string[], altered: number, times: number[]) {
  const rows = new Map<string, OneFace[]>()
  const note = (name: string, row: OneFace) => rows.set(name, [...(rows.get(name) ?? []), row])
  for (const [i, file] of files.entries()) {
    process.stderr.write(`\r${i + 1} of ${files.length} portraits `)
    const image = await readPicture(file)
    const seen = await look(image)
    times.push(seen.ms)
    note('as it is', seen.mesh ? judge(seen, seen.pyramid.image, eyesOf(seen.mesh)) : notFound)
    const isChosen =
      Math.floor((i * altered) / files.length) !== Math.floor(((i - 1) * altered) / files.length)
    if (!isChosen) continue
    const { mesh } = seen
    const upright = seen.pyramid.image
    for (const [name, alter] of Object.entries(alterations)) {
      if (!mesh) {
        note(name, notFound)
        continue
      }
      const other = alter(upright, mesh)
      const [right, left] = eyesOf(mesh).map(other.move) as [Point, Point]
      note(name, judge(await look(other.image), other.image, [right, left]))
    }
  }
  process.stderr.write('\n')
  return Object.fromEntries([...rows].map(([name, list]) => [name, countOneFaces(list)]))
}

type FaceMethods = Pick<ProfileMethods, 'detector' | 'landmarks'>
type Look = (image: RgbaImage) => Promise<Seen>

/** Number of portraits that are also altered, spread evenly over all. */
const alteredPortraits = 60

async function countOn(look: Look, files: readonly string[]) {
  let found = 0
  for (const file of files) found += (await look(await readPicture(file))).faces.length
  return { pictures: files.length, found }
}

async function measureDetector(folder: string, methods: FaceMethods): Promise<DetectionReport> {
  const look: Look = (image) => see(methods, image)
  const pictures = await readTrueFaces(path.join(folder, 'detection'))
  const marked: FoundCounts[] = []
  for (const { file, faces } of pictures) {
    if (faces) marked.push(countFound((await look(await readPicture(file))).faces, faces))
  }
  const unmarked = pictures.filter(({ faces }) => !faces).map(({ file }) => file)
  const withoutFace = (await filesBelow(path.join(folder, 'bad', 'no_face'))).filter(isPicture)
  const { pairs } = await readTables(folder)
  const times: number[] = []
  const paired = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
    .sort()
    .map((file) => path.join(folder, file))
  const portraits = await measurePortraits(look, paired, alteredPortraits, times)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0
  return {
    annotated: { pictures: marked.length, ...addCounts(marked) },
    unannotated: await countOn(look, unmarked),
    withoutFace: await countOn(look, withoutFace),
    portraits,
    msPerPicture: {
      median: at(0.5),
      mean: times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length),
      p95: at(0.95),
    },
  }
}

/** @param jsonFile output file for the figures as JSON */
export async function measureDetection(folder: string, jsonFile: string | undefined): Promise<void> {
  const { chosen, files } = await openModels(readSettings({ LOG_LEVEL: 'warn', ...process.env }))
  const { detector, landmarks } = chosen.profile
  const engine = await openLocalEngine(new Map([detector, landmarks].map((id) => [id, files.get(id)!])))
  const methods = openProfileMethods(engine, chosen.profile)
  const report = await measureDetector(folder, methods)
  process.stdout.write(`profile ${chosen.name}, detector ${detector}\n\n${detectionText(report)}\n`)
  if (jsonFile)
    await writeFile(jsonFile, `${JSON.stringify({ profile: chosen.name, detector, ...report }, null, 2)}\n`)
}
