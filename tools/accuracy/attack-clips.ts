/** Attacks as clips: animated stills, recaptured stills, and labelled attacks whose frames are edited. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import type { Box } from '../../src/vision/geometry.ts'
import { shrinkToSide } from '../../src/vision/resample.ts'
import { toPyramid } from '../../test/fixtures/codecs.ts'
import { crop, decode } from '../../test/fixtures/portraits.ts'
import { animateStill, openPortrait, squarePicture } from './animation/animated-stills.ts'
import { animations, canAnimate, coarse, frameCount } from './animation/animations.ts'
import { readCsv } from './csv.ts'
import { type PictureEdit, pictureEdits, savedAgain } from './edits/picture-edits.ts'
import { recaptures } from './edits/recaptures.ts'
import { type Still, stills } from './moved-stills.ts'
import { turnUpright } from './turn-upright.ts'

/** An attack with a clip. */
export interface AttackClip {
  name: string
  /** What the rates are given for. */
  species: string
  frames: Iterable<RgbaImage>
  /** Quality of the frames' JPEGs; default: that of a good camera. */
  quality?: number
  /** Another photo of the victim; `null` if the clip only has to pass as one live person. */
  victim: Uint8Array | null
}

interface WantedStills {
  isWanted: (species: string) => boolean
  /** Maximum number of people of the folder. */
  people: number
}

type Assess = (bytes: Uint8Array) => Promise<Assessment>

/** Of JPEGs that are called coarse. */
const coarseQuality = 8

/** Stills of people, animated in each way that has a wanted name. */
export async function* animatedPeople(
  folder: string,
  { isWanted, people }: WantedStills,
  assess: Assess,
): AsyncGenerator<AttackClip> {
  const names = Object.keys(animations).filter(isWanted)
  if (names.length === 0) return
  let before: Still | null = null
  for await (const still of stills(folder, people, assess)) {
    const stranger = before && before.person !== still.person ? before.square : null
    const portrait = await openPortrait(still, stranger)
    before = still
    for (const name of names)
      if (canAnimate(portrait, name))
        yield {
          name: still.name,
          species: name,
          frames: animateStill(portrait, animations[name]!),
          ...(name === coarse && { quality: coarseQuality }),
          victim: null,
        }
  }
}

/** Edits of the frames of simulated recaptures: those that let most attacks pass as photos. */
const recaptureEdits = new Set(['warmer', 'noise of deviation 12', 'JPEG quality 20', 'sharpened'])

/** A clip is coded anew in any case. */
const photoEdits = pictureEdits.filter(({ isBorder, name }) => !isBorder && name !== savedAgain)

/** Largest distance in pixels by which a hand that holds a picture before a camera trembles. */
const tremor = 4

/** The picture as a trembling hand holds it: the place of the frame in the picture changes by a few pixels. */
function* tremble(
  { image, box }: { image: RgbaImage; box: Box },
  change: PictureEdit['change'] | null,
): Generator<RgbaImage> {
  // H.264 needs sides of even numbers of pixels.
  const [width, height] = [image.width, image.height].map((side) => (side - 2 * tremor) & ~1)
  for (let frame = 0; frame < frameCount; frame++) {
    const left = Math.round(tremor * (1 + Math.sin(frame * 0.7)))
    const top = Math.round(tremor * (1 + Math.cos(frame * 0.45)))
    const held = crop(image, left, top, width!, height!)
    const edited = change ? change({ image: held, box: { ...box, x: box.x - left, y: box.y - top } }) : held
    yield evenSides(edited)
  }
}

const evenSides = (image: RgbaImage): RgbaImage =>
  (image.width | image.height) & 1 ? crop(image, 0, 0, image.width & ~1, image.height & ~1) : image

/** The unedited clip, and one for each edit. */
function* editedClips(
  name: string,
  species: string,
  picture: { image: RgbaImage; box: Box },
  edits: readonly PictureEdit[],
  isWanted: WantedStills['isWanted'],
): Generator<AttackClip> {
  const clips = [
    { species, frames: tremble(picture, null) },
    ...edits.map((edit) => ({
      species: `${species}, ${edit.name}`,
      frames: tremble(picture, edit.change),
      quality: edit.quality,
    })),
  ]
  for (const clip of clips) if (isWanted(clip.species)) yield { name, victim: null, ...clip }
}

/** Stills of people as simulated prints and screens in a trembling hand, as they are and with edited frames. */
export async function* recapturedPeople(
  folder: string,
  { isWanted, people }: WantedStills,
  assess: Assess,
): AsyncGenerator<AttackClip> {
  const edits = photoEdits.filter(({ name }) => recaptureEdits.has(name))
  for await (const still of stills(folder, people, assess)) {
    const square = await squarePicture(still.square)
    const box = (await assess(still.square)).faces[0]?.box
    if (!box) continue
    for (const [species, recapture] of Object.entries(recaptures))
      yield* editedClips(still.name, species, { image: recapture(square), box }, edits, isWanted)
  }
}

/** Longer side of the clips of labelled attacks. */
const sideMax = 640

/**
 * The attacks of `pad/labels.csv` as clips in a trembling hand, as they are and with each edit on all frames.
 * @param folder without this table there are none
 */
export async function* labelledAttacks(
  folder: string,
  isWanted: WantedStills['isWanted'],
  assess: Assess,
): AsyncGenerator<AttackClip> {
  const labels = await readCsv(path.join(folder, 'pad', 'labels.csv'), 'pad/labels.csv', ['file', 'class'])
  for (const { cells } of labels ?? []) {
    if (cells.class !== 'spoof') continue
    const bytes = new Uint8Array(await readFile(path.join(folder, cells.file!)))
    const { faces, source, quarterTurns } = await assess(bytes)
    if (!faces[0]) continue
    const upright = turnUpright(await decode(bytes), quarterTurns)
    const image = shrinkToSide(toPyramid(upright), sideMax)
    const { x, y, width, height } = faces[0].box
    const scale = image.width / source.width
    const box = { x: x * scale, y: y * scale, width: width * scale, height: height * scale }
    yield* editedClips(cells.file!, 'labelled attack', { image, box }, photoEdits, isWanted)
  }
}
