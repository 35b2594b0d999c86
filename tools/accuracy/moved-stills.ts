/** Simple presentation attacks: a portrait that is moved in front of a camera, simulated with filters of ffmpeg. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import { remake } from '../../test/fixtures/clips.ts'
import { testCodecs } from '../../test/fixtures/codecs.ts'
import { crop, decode, type PortraitName, portrait } from '../../test/fixtures/portraits.ts'
import { spread } from './spread.ts'

const frames = 75
const framesPerSecond = 25

/** Motion applied to a picture of 720 × 720, and quality of the encoding. */
const motions: Record<string, { filters: string; crf: number }> = {
  panned: { filters: "crop=600:600:x='60+55*sin(n/12)':y='60+50*cos(n/15)'", crf: 23 },
  zoomed: {
    filters: "zoompan=z='1.1+0.15*sin(on/15)':x='iw*0.04':y='ih*0.04':d=1:s=640x640:fps=25",
    crf: 23,
  },
  turned: { filters: "rotate='0.2*sin(n/14)'", crf: 23 },
  tilted: {
    filters:
      "perspective=x0='40*abs(sin(on/20))':y0='30*abs(sin(on/20))':x1='W-10*abs(sin(on/15))':y1=0:x2=0:y2=H:x3=W:y3='H-35*abs(sin(on/18))':eval=frame",
    crf: 23,
  },
  held: { filters: 'noise=alls=6:allf=t', crf: 23 },
  'panned, grainy and coarse': {
    filters: "crop=600:600:x='60+55*sin(n/12)':y='60+50*cos(n/15)',noise=alls=16:allf=t",
    crf: 34,
  },
}
export const motionNames = Object.keys(motions)

/** Three seconds of a moving square picture, 640 × 640. */
export function moveStill(square: Uint8Array, motion: string): Promise<Uint8Array> {
  const { filters, crf } = motions[motion]!
  const still = `scale=720:720,loop=loop=${frames}:size=1:start=0,setpts=N/${framesPerSecond}/TB`
  const coding = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-crf', `${crf}`]
  const length = ['-r', `${framesPerSecond}`, '-frames:v', `${frames}`]
  return remake(square, 'mp4', ['-vf', `${still},${filters},scale=640:640`, ...length, ...coding])
}

/** Side of the square around a face, relative to the face's longer side: like a portrait held in front of a camera. */
const margin = 2
const faceSideMin = 40

/** Crops the square around the only face of a picture; `null` if there is not exactly one, or it is tiny. */
export async function squareOf(
  bytes: Uint8Array,
  { faces, quarterTurns }: Assessment,
): Promise<Uint8Array | null> {
  const [face, another] = faces
  if (!face || another || quarterTurns > 0) return null
  const { x, y, width, height } = face.box
  if (Math.max(width, height) < faceSideMin) return null
  const image = await decode(bytes)
  const side = Math.floor(Math.min(Math.max(width, height) * margin, image.width, image.height))
  const within = (start: number, length: number) => Math.floor(Math.min(Math.max(0, start), length - side))
  const left = within(x + width / 2 - side / 2, image.width)
  const top = within(y + height / 2 - side / 2, image.height)
  return testCodecs.encodeJpeg({ image: crop(image, left, top, side, side), quality: 92 })
}

/** The pictures of each person in `faces/`, or all pictures of the folder itself, each as one person. */
async function picturesOfPeople(folder: string): Promise<string[][]> {
  const faces = path.join(folder, 'faces')
  const isPicture = (name: string) => /\.(jpe?g|png)$/i.test(name)
  const people = await readdir(faces).catch(() => null)
  if (!people)
    return (await readdir(folder))
      .filter(isPicture)
      .sort()
      .map((name) => [path.join(folder, name)])
  return Promise.all(
    people.sort().map(async (person) =>
      (await readdir(path.join(faces, person)))
        .filter(isPicture)
        .sort()
        .map((name) => path.join(faces, person, name)),
    ),
  )
}

export interface Still {
  name: string
  /** Stills of the same person have the same name here. */
  person: string
  source: 'packages' | 'folder'
  square: Uint8Array
  /** Other photos of the person, cropped in the same way. */
  others: readonly Uint8Array[]
}

const othersMax = 2
const portraits: readonly PortraitName[] = ['redhead', 'redheadAgain', 'brunette', 'longHair', 'smiling']

/** Portraits of the installed packages, and those of up to `count` pictures of the folder's people that show one face. */
export async function* stills(
  folder: string,
  count: number,
  assess: (bytes: Uint8Array) => Promise<Assessment>,
): AsyncGenerator<Still> {
  const again: Partial<Record<PortraitName, PortraitName>> = {
    redhead: 'redheadAgain',
    redheadAgain: 'redhead',
  }
  for (const name of portraits) {
    const other = again[name]
    const others = other ? [await portrait(other)] : []
    const person = name.replace('Again', '')
    yield { name, person, source: 'packages', square: await portrait(name), others }
  }
  const cut = async (file: string) => {
    const bytes = new Uint8Array(await readFile(file))
    return assess(bytes).then(
      (assessment) => squareOf(bytes, assessment),
      () => null,
    )
  }
  for (const files of spread(await picturesOfPeople(folder), count)) {
    const [first, ...rest] = files
    const square = first ? await cut(first) : null
    if (!first || !square) continue
    const others = (await Promise.all(rest.slice(0, othersMax).map(cut))).filter((other) => other !== null)
    const name = path.relative(folder, first)
    yield { name, person: files.length > 1 ? path.dirname(name) : name, source: 'folder', square, others }
  }
}
