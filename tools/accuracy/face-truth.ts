/** Reads annotations of faces: dlib's XML lists of boxes and landmarks, and `.pts` landmarks. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Box, boxCentre, midpoint, type Point } from '../../src/vision/geometry.ts'

export interface TrueFace {
  box: Box
  /** Midpoint between the eyes if there are landmarks, else the centre of the box. */
  centre: Point
}

interface TruePicture {
  file: string
  /** `null` if the faces are not annotated. */
  faces: readonly TrueFace[] | null
}

/** Indices of the eyes in 68 landmarks. */
const eyes = [
  [36, 42],
  [42, 48],
] as const

const mean = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
})

const betweenEyes = (points: readonly Point[]): Point =>
  midpoint(mean(points.slice(...eyes[0])), mean(points.slice(...eyes[1])))

function boundsOf(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(/(\w+)='([^']*)'/g)].map(([, name, value]) => [name!, value!]))
}

/** The faces of each picture in a dlib list. */
export function readDlibList(text: string): Map<string, TrueFace[]> {
  const pictures = new Map<string, TrueFace[]>()
  for (const [, head, body] of text.matchAll(/<image ([^>]*)>(.*?)<\/image>/gs)) {
    const faces = [...body!.matchAll(/<box ([^>]*?)(?:\/>|>(.*?)<\/box>)/gs)].map(([, tag, parts = '']) => {
      const { left, top, width, height } = attributesOf(tag!)
      const box = { x: Number(left), y: Number(top), width: Number(width), height: Number(height) }
      const points = [...parts.matchAll(/<part ([^>]*)\/>/g)].map(([, part]) => {
        const { x, y } = attributesOf(part!)
        return { x: Number(x), y: Number(y) }
      })
      return { box, centre: points.length === 68 ? betweenEyes(points) : boxCentre(box) }
    })
    pictures.set(attributesOf(head!).file!, faces)
  }
  return pictures
}

/** The face in a `.pts` file; its box encloses the landmarks. */
export function readPoints(text: string): TrueFace {
  const lines = text
    .slice(text.indexOf('{') + 1, text.indexOf('}'))
    .trim()
    .split('\n')
  const points = lines.map((line): Point => {
    const [x, y] = line.trim().split(/\s+/).map(Number)
    return { x: x!, y: y! }
  })
  const box = boundsOf(points)
  return { box, centre: points.length === 68 ? betweenEyes(points) : boxCentre(box) }
}

export const isPicture = (name: string): boolean => /\.(jpe?g|png|webp)$/i.test(name)

/** Files below a folder in order of their names; empty if it does not exist. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  return entries.sort().map((name) => path.join(folder, name))
}

/** All pictures below a folder with their annotations. Lists with landmarks take precedence. */
export async function readTrueFaces(folder: string): Promise<TruePicture[]> {
  const files = await filesBelow(folder)
  const faces = new Map<string, TrueFace[]>()
  const isDetailed = (name: string) => name.includes('landmarks')
  const lists = files.filter((name) => name.endsWith('.xml'))
  for (const list of lists.toSorted((a, b) => Number(isDetailed(a)) - Number(isDetailed(b)))) {
    for (const [name, marked] of readDlibList(await readFile(list, 'utf8')))
      faces.set(path.join(path.dirname(list), name), marked)
  }
  for (const file of files.filter((name) => name.endsWith('.pts')))
    faces.set(file.replace(/\.pts$/, '.jpg'), [readPoints(await readFile(file, 'utf8'))])
  return files.filter(isPicture).map((file) => ({ file, faces: faces.get(file) ?? null }))
}
