/**
 * Measures how reliably a photo is recognised after re-encoding, resizing or cropping, compared with two photos of one person and
 * two frames of one clip: `faces/IDENTITY/` and the clips in `video/` of a folder.
 *
 * Pictures are upright. Templates are extracted only if prints are similar: elsewhere they do not affect the result.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { templateFaceSideMin } from '../../src/assess/assessment.ts'
import { openProfileMethods } from '../../src/assess/assessor-deps.ts'
import { euclidean } from '../../src/decide/distance.ts'
import { isSameFace, isSamePrint } from '../../src/decide/same-picture.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { findVideo, openVideoFile } from '../../src/platform/server-video.ts'
import { readSettings } from '../../src/settings.ts'
import { detectFaces } from '../../src/vision/detect.ts'
import { faceSide } from '../../src/vision/face.ts'
import { boxMap } from '../../src/vision/geometry.ts'
import { computePicturePrint } from '../../src/vision/picture-print.ts'
import type { Pyramid } from '../../src/vision/pyramid.ts'
import { warpToTensor } from '../../src/vision/resample.ts'
import { testCodecs, toPyramid } from '../../test/fixtures/codecs.ts'
import { crop, decode } from '../../test/fixtures/portraits.ts'
import { collect, withVideo } from '../../test/fixtures/video-decoders.ts'
import { fromPlanes } from './altered-pictures.ts'
import { readIdentities } from './identities.ts'
import { InputError } from './input-error.ts'
import { peopleClips } from './people-clips.ts'
import { type ComparedPictures, type SameRow, sameRow, sameText } from './same-report.ts'

const encode = async (image: RgbaImage, quality: number): Promise<RgbaImage> =>
  decode(await testCodecs.encodeJpeg({ image, quality }))

function resize(image: RgbaImage, factor: number): RgbaImage {
  const [width, height] = [Math.round(image.width * factor), Math.round(image.height * factor)]
  const whole = { x: 0, y: 0, width: image.width, height: image.height }
  const planes = warpToTensor(toPyramid(image), boxMap(whole, width, height), {
    width,
    height,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  return fromPlanes(planes, width, height)
}

const cut = (image: RgbaImage, pixels: number): RgbaImage =>
  crop(image, pixels, pixels, image.width - 2 * pixels, image.height - 2 * pixels)

/** Encoder settings for resized and cropped pictures. */
const laterQuality = 92

type Alter = (image: RgbaImage) => Promise<RgbaImage>

const alterations: Record<string, Alter> = {
  ...Object.fromEntries(
    [95, 80, 60, 40].map((quality): [string, Alter] => [
      `JPEG of quality ${quality}`,
      (image) => encode(image, quality),
    ]),
  ),
  ...Object.fromEntries(
    [0.95, 0.8, 1.1, 0.5].map((factor): [string, Alter] => [
      `${factor} × the size`,
      (image) => encode(resize(image, factor), laterQuality),
    ]),
  ),
  'cut by a pixel on each side': (image) => encode(cut(image, 1), laterQuality),
  'cut by a twentieth on each side': (image) =>
    encode(cut(image, Math.ceil(Math.min(image.width, image.height) / 20)), laterQuality),
}

interface Seen {
  print: readonly number[]
  /** `null` if no template can be extracted. */
  template(): Promise<Float32Array | null>
}

/** Caches the result for each value. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

async function compare(a: Seen, b: Seen): Promise<ComparedPictures> {
  const prints = [a.print, b.print] as const
  if (!isSamePrint(...prints)) return { isTakenForOne: false, prints }
  const [one, other] = [await a.template(), await b.template()]
  return { isTakenForOne: one !== null && other !== null && isSameFace(euclidean(one, other)), prints }
}

/** Opens the networks with which the current profile extracts templates. */
async function openSeeing(): Promise<{ profile: string; see: (image: RgbaImage) => Seen }> {
  const { chosen, files } = await openModels(readSettings({ LOG_LEVEL: 'warn', ...process.env }))
  const { detector, landmarks, template } = chosen.profile
  const networks = [detector, landmarks, template].map((id) => [id, files.get(id)!] as const)
  const engine = await openLocalEngine(new Map(networks))
  const methods = openProfileMethods(engine, chosen.profile)
  const templateOf = async (pyramid: Pyramid): Promise<Float32Array | null> => {
    const found = await detectFaces(methods.detector, methods.landmarks, pyramid)
    if (!found.mesh || faceSide(found.faces[0]!) < templateFaceSideMin) return null
    return methods.template.extract(found.pyramid, found.mesh)
  }
  return {
    profile: chosen.name,
    see(image) {
      const pyramid = toPyramid(image)
      return { print: computePicturePrint(pyramid), template: once(() => templateOf(pyramid)) }
    },
  }
}

/** Number of pictures of each person that are altered. */
const alteredOfEach = 2

async function photoRows(folder: string, see: (image: RgbaImage) => Seen): Promise<SameRow[]> {
  const people = new Map<string, string[]>()
  for (const { subjectId, file } of await readIdentities(folder))
    people.set(subjectId, [...(people.get(subjectId) ?? []), file])
  const altered = new Map<string, ComparedPictures[]>()
  const ofOnePerson: ComparedPictures[] = []
  let done = 0
  for (const files of people.values()) {
    process.stderr.write(`\r${++done} of ${people.size} people `)
    const images: RgbaImage[] = []
    for (const file of files)
      images.push(await decode(new Uint8Array(await readFile(path.join(folder, file)))))
    const photos = images.map(see)
    for (const [i, image] of images.slice(0, alteredOfEach).entries()) {
      for (const [name, alter] of Object.entries(alterations)) {
        const compared = await compare(photos[i]!, see(await alter(image)))
        altered.set(name, [...(altered.get(name) ?? []), compared])
      }
    }
    for (const [i, photo] of photos.entries())
      for (const other of photos.slice(i + 1)) ofOnePerson.push(await compare(photo, other))
  }
  process.stderr.write('\n')
  return [
    ...[...altered].map(([name, pairs]) => sameRow(name, pairs)),
    sameRow('two photos of one person', ofOnePerson),
  ]
}

/** Number of frames between the two of a pair. */
const framesApart = [1, 5, 12, 25, 50]

async function clipRows(folder: string, see: (image: RgbaImage) => Seen): Promise<SameRow[]> {
  const found = await findVideo('ffmpeg-core')
  if (!found) return []
  const decoder = openVideoFile(found)
  const compared = new Map(framesApart.map((apart) => [apart, [] as ComparedPictures[]]))
  for await (const { name, bytes } of peopleClips(folder)) {
    process.stderr.write(`\r${name} `.padEnd(70))
    const frames = await withVideo(
      decoder,
      bytes,
      (video) => collect(video.frames({ timesS: null, sideMax: 1280 })),
      { longer: 'crop', timeMaxMs: Number.POSITIVE_INFINITY },
    )
    const seen = frames.map(({ image }) => see(image))
    for (const [apart, pairs] of compared) {
      for (let i = 0; i + apart < seen.length; i += Math.min(apart, 5))
        pairs.push(await compare(seen[i]!, seen[i + apart]!))
    }
  }
  process.stderr.write('\n')
  return [...compared].flatMap(([apart, pairs]) =>
    pairs.length > 0 ? [sameRow(`frames of one clip, ${apart} apart`, pairs)] : [],
  )
}

/**
 * @param jsonFile output file for the figures as JSON
 * @throws {InputError} if the folder has no pictures of people
 */
export async function measureSamePicture(folder: string, jsonFile: string | undefined): Promise<void> {
  if ((await readIdentities(folder)).length === 0)
    throw new InputError(`${folder} has no faces/PERSON/ with pictures`)
  const { profile, see } = await openSeeing()
  const rows = [...(await photoRows(folder, see)), ...(await clipRows(folder, see))]
  process.stdout.write(`profile ${profile}\n\n${sameText(rows)}\n`)
  if (jsonFile) await writeFile(jsonFile, `${JSON.stringify({ profile, rows }, null, 2)}\n`)
}
