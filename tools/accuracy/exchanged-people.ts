/** Clips with switched identities: photos among a stranger's turned frames, and alternating strangers. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { remake } from '../../test/fixtures/clips.ts'
import { openPortrait, squarePicture } from './animation/animated-stills.ts'
import { frameCount } from './animation/animations.ts'
import type { AttackClip } from './attack-clips.ts'
import { readCsv } from './csv.ts'
import { squareOf } from './moved-stills.ts'
import { peopleClips } from './people-clips.ts'
import { type PairRow, pairOf, personOf } from './tables.ts'

interface WantedPeople {
  isWanted: (species: string) => boolean
  /** Maximum number of people, and of pairs of strangers of each source. */
  people: number
}

type Assess = (bytes: Uint8Array) => Promise<Assessment>

/** Turn in degrees from which identity is not compared. */
const turnedMin = 30
const framesPerSecond = 10

const pairsOf = async (folder: string): Promise<PairRow[]> =>
  ((await readCsv(path.join(folder, 'pairs.csv'), 'pairs.csv', [])) ?? []).map(pairOf)

/** Splits concatenated JPEGs at their start markers. */
function* splitPictures(stream: Uint8Array): Generator<Uint8Array> {
  const bytes = Buffer.from(stream)
  const marker = Buffer.from([0xff, 0xd8, 0xff])
  for (let from = bytes.indexOf(marker); from >= 0; ) {
    const next = bytes.indexOf(marker, from + 3)
    yield new Uint8Array(bytes.subarray(from, next < 0 ? bytes.length : next))
    from = next
  }
}

/** Square crops around turned faces, of all clips of people. */
async function turnedFrames(folder: string, assess: Assess): Promise<RgbaImage[]> {
  const frames: RgbaImage[] = []
  for await (const { bytes, shown } of peopleClips(folder)) {
    if (!shown.has('left') && !shown.has('right')) continue
    const stream = await remake(bytes, 'mjpeg', ['-r', `${framesPerSecond}`, '-q:v', '2'])
    for (const picture of splitPictures(stream)) {
      const assessment = await assess(picture)
      const pose = assessment.subject?.quality.pose
      if (!pose || Math.hypot(pose.yaw, pose.pitch) <= turnedMin) continue
      const square = await squareOf(picture, assessment)
      if (square) frames.push(await squarePicture(square))
    }
  }
  return frames
}

/** Square frames of a person who looks into the camera, all cut at the same place; `null` if no clip has enough of them. */
async function frontalFrames(folder: string, assess: Assess): Promise<Uint8Array[] | null> {
  for await (const { bytes, shown } of peopleClips(folder)) {
    if (shown.has('left') || shown.has('right')) continue
    const stream = await remake(bytes, 'mjpeg', ['-r', `${framesPerSecond}`, '-q:v', '2'])
    const pictures = [...splitPictures(stream)].slice(0, frameCount)
    if (pictures.length < frameCount) continue
    const first = await assess(pictures[0]!)
    const pose = first.subject?.quality.pose
    if (!pose || Math.hypot(pose.yaw, pose.pitch) > turnedMin / 2) continue
    const squares = await Promise.all(pictures.map((picture) => squareOf(picture, first)))
    if (squares.every((square) => square !== null)) return squares
  }
  return null
}

/** The frames in order, played back and forth. */
const toAndFro = (frames: readonly RgbaImage[]): RgbaImage[] => [...frames, ...frames.slice(1, -1).reverse()]

const repeated = (frames: readonly RgbaImage[], count: number): RgbaImage[] =>
  Array.from({ length: count }, (_, i) => frames[i % frames.length]!)

/** By name: which of a stranger's frames are replaced by the photo, and the number of frames. */
const amongTurned = {
  'a photo among eleven turned frames of a stranger': { isPhoto: (frame: number) => frame === 5, count: 12 },
  'a photo in every third frame of a turned stranger': {
    isPhoto: (frame: number) => frame % 3 === 0,
    count: frameCount,
  },
}

/** For each person, a photo among turned frames of a stranger, if `video/` has clips of turning heads. */
export async function* photosAmongTurned(
  folder: string,
  wanted: WantedPeople,
  assess: Assess,
): AsyncGenerator<AttackClip> {
  const kinds = Object.entries(amongTurned).filter(([species]) => wanted.isWanted(species))
  const turned = kinds.length === 0 ? [] : toAndFro(await turnedFrames(folder, assess))
  if (turned.length === 0) return
  const seen = new Set<string>()
  for (const { a, b, mated } of await pairsOf(folder)) {
    if (!mated || seen.has(personOf(a)) || seen.size === wanted.people) continue
    const [bytes, victim] = await Promise.all([a, b].map((file) => readFile(path.join(folder, file))))
    const square = await squareOf(bytes!, await assess(bytes!))
    if (!square) continue
    seen.add(personOf(a))
    const photo = await squarePicture(square)
    for (const [species, { isPhoto, count }] of kinds) {
      const frames = repeated(turned, count).map((frame, i) => (isPhoto(i) ? photo : frame))
      yield { name: a, species, frames, victim: victim! }
    }
  }
}

const amongFrontal = 'different photos of the victim among a frontal stranger'
const photosMax = 5

/** The pictures of each person of the pairs. */
async function photosByPerson(folder: string): Promise<Map<string, Set<string>>> {
  const people = new Map<string, Set<string>>()
  for (const { a, b, mated } of await pairsOf(folder)) {
    if (!mated) continue
    const photos = people.get(personOf(a)) ?? new Set()
    people.set(personOf(a), photos.add(a).add(b))
  }
  return people
}

/**
 * Photos of a person in every third frame of a stranger's clip, which is when key frames are due, each time another one. The
 * photos are laid over the stranger's face by eyes and mouth.
 */
export async function* photosAmongFrontal(
  folder: string,
  wanted: WantedPeople,
  assess: Assess,
): AsyncGenerator<AttackClip> {
  if (!wanted.isWanted(amongFrontal)) return
  const stranger = await frontalFrames(folder, assess)
  if (!stranger) return
  const live = await Promise.all(stranger.map(squarePicture))
  let taken = 0
  for (const [person, files] of await photosByPerson(folder)) {
    if (taken === wanted.people) return
    const [presented, ...others] = [...files].slice(0, photosMax + 1)
    if (others.length < 2) continue
    const cut = async (file: string) => {
      const bytes = new Uint8Array(await readFile(path.join(folder, file)))
      return squareOf(bytes, await assess(bytes))
    }
    const squares = (await Promise.all(others.map(cut))).filter((square) => square !== null)
    if (squares.length < 2) continue
    taken++
    const { others: photos } = await openPortrait({ square: stranger[0]!, others: squares }, null)
    const frames = live.map((frame, i) => (i % 3 === 0 ? photos[(i / 3) % photos.length]! : frame))
    const victim = new Uint8Array(await readFile(path.join(folder, presented!)))
    yield { name: person, species: amongFrontal, frames, victim }
  }
}

/** Alternating photos of two strangers, for some pairs of different people of each source. */
export async function* strangersInTurn(
  folder: string,
  wanted: WantedPeople,
  assess: Assess,
): AsyncGenerator<AttackClip> {
  const taken = new Map<string, number>()
  const seen = new Set<string>()
  for (const { a, b, mated, source } of await pairsOf(folder)) {
    const species = `two strangers in turn, ${source}`
    const couple = [personOf(a), personOf(b)].sort().join()
    if (!wanted.isWanted(species) || mated || seen.has(couple) || (taken.get(source) ?? 0) === wanted.people)
      continue
    const cut = async (file: string) => {
      const bytes = new Uint8Array(await readFile(path.join(folder, file)))
      return squareOf(bytes, await assess(bytes))
    }
    const [first, second] = [await cut(a), await cut(b)]
    if (!first || !second) continue
    seen.add(couple)
    taken.set(source, (taken.get(source) ?? 0) + 1)
    const { image, stranger } = await openPortrait({ square: first, others: [] }, second)
    yield { name: `${a}, ${b}`, species, frames: repeated([image, stranger!], frameCount), victim: null }
  }
}
