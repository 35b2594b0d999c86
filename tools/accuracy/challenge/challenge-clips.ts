/** Clips of people, or of pictures of them, who come nearer and are lit by a screen: pictures, coded as a phone codes them. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { toLinear } from '../../../src/vision/challenge/light-record.ts'
import { eyeDistance, meshIndex } from '../../../src/vision/facemesh.ts'
import { midpoint } from '../../../src/vision/geometry.ts'
import type { LitClip } from './attacks.ts'
import { lightAt, toCoded } from './lit-curves.ts'
import { lightOn, normalAt, type SimulatedPerson } from './people.ts'
import { createDrift, type Random } from './random.ts'

const width = 360
const height = 480
const framesPerSecond = 15

/** Seconds of a clip: coming nearer, holding still, the colours, the end. */
export const approachS = { fromS: 0.5, toS: 3 }
export const coloursFromS = 3.5
const endS = 0.8

/** Distance from which the picture was taken, and focal length of the camera, in eye distances and in longer sides. */
const takenFrom = 8
const focalLength = 0.75 * height

/** Depth and light of the picture's places, in eye distances around the middle between the eyes. */
interface Relief {
  at(x: number, y: number): readonly [depth: number, light: number]
}

const cell = 0.06
const extent = 3.2

/** Smooth maps over the face; beyond it the head falls away, the neck lies back, and the wall is far. */
function makeRelief({ head }: SimulatedPerson): Relief {
  const screen = { x: 0, y: 0.7, z: -3.6 }
  const known = head.map((point) => ({ ...point, light: lightOn(point, normalAt(head, point), screen) }))
  const side = Math.ceil((2 * extent) / cell) + 1
  const maps = new Float32Array(side * side * 2)
  const [right, left] = [head[meshIndex.rightCheek]!, head[meshIndex.leftCheek]!]
  const chin = head[meshIndex.chin]!
  for (let row = 0, at = 0; row < side; row++) {
    for (let column = 0; column < side; column++, at += 2) {
      const [x, y] = [column * cell - extent, row * cell - extent]
      let [weight, depth, light, nearest] = [1e-12, 0, 0, Number.POSITIVE_INFINITY]
      for (const point of known) {
        const apart = (point.x - x) ** 2 + (point.y - y) ** 2
        nearest = Math.min(nearest, apart)
        const share = Math.exp(-apart / (2 * 0.09 ** 2))
        weight += share
        depth += share * point.z
        light += share * point.light
      }
      const beyond = Math.max(0, Math.sqrt(nearest) - 0.08)
      const isNeck = y > chin.y && x > right.x && x < left.x
      const outside = isNeck ? ([0.9, 0.4] as const) : ([1.2, beyond < 0.35 ? 0.28 : 0.04] as const)
      const inner = Math.exp(-((beyond / 0.1) ** 2))
      maps[at] = inner * (depth / weight) + (1 - inner) * outside[0]
      maps[at + 1] = inner * (light / weight) + (1 - inner) * outside[1]
    }
  }
  const out: [number, number] = [0, 0]
  const last = side - 1.001
  return {
    at(x, y) {
      const u = Math.max(0, Math.min(last, (x + extent) / cell))
      const v = Math.max(0, Math.min(last, (y + extent) / cell))
      const [column, row] = [Math.floor(u), Math.floor(v)]
      const [p, q] = [u - column, v - row]
      for (let i = 0; i < 2; i++) {
        const from = (row * side + column) * 2 + i
        const upper = maps[from]! * (1 - p) + maps[from + 2]! * p
        const below = from + side * 2
        out[i] = upper * (1 - q) + (maps[below]! * (1 - p) + maps[below + 2]! * p) * q
      }
      return out
    },
  }
}

const linearOf = Float32Array.from({ length: 256 }, (_, value) => toLinear(value / 255))
const codedOf = Uint8Array.from({ length: 4096 }, (_, value) => Math.round(255 * toCoded(value / 4095)))

export interface ClipSubject {
  /** A head, or a flat picture of it. */
  isSolid: boolean
  /** Width of the face in shares of the picture's width, before and after coming nearer. */
  from: number
  to: number
}

/** Draws one frame after another, RGBA. */
function* drawFrames(
  person: SimulatedPerson,
  { isSolid, from, to }: ClipSubject,
  { shown, lighting, around }: LitClip,
  random: Random,
): Generator<Uint8Array> {
  const { image, mesh, head } = person
  const relief = makeRelief(person)
  const apart = eyeDistance(mesh)
  const [right, left] = [mesh.points[meshIndex.rightEyeOuter]!, mesh.points[meshIndex.leftEyeOuter]!]
  const eyes = midpoint(right, left)
  const [ux, uy] = [(left.x - right.x) / apart, (left.y - right.y) / apart]
  const faceWidth = head[meshIndex.leftCheek]!.x - head[meshIndex.rightCheek]!.x
  const totalS = coloursFromS + shown.reduce((sum, { ms }) => sum + ms, 0) / 1000 + endS
  const [swayX, swayY] = [createDrift(random, 0.96), createDrift(random, 0.96)]
  let exposure = 1
  for (let i = 0; i < totalS * framesPerSecond; i++) {
    const timeS = i / framesPerSecond
    const progress = Math.max(0, Math.min(1, (timeS - approachS.fromS) / (approachS.toS - approachS.fromS)))
    const share = from + (to - from) * (3 * progress ** 2 - 2 * progress ** 3)
    const distance = (focalLength * faceWidth) / (share * width)
    const screenLight = lightAt(shown, timeS - coloursFromS - around.delayS)
    const [moveX, moveY] = [0.03 * swayX(), 0.03 * swayY() - 0.25]
    const pixels = new Uint8Array(width * height * 4)
    const perPixel = distance / focalLength
    const contrast = (around.screenLux * (distance / 3.6) ** -2) / around.lux
    let brightness = 0
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at += 4) {
        const [px, py] = [(x - width / 2) * perPixel - moveX, (y - height / 2) * perPixel - moveY]
        let [sx, sy] = [px, py]
        let [depth, light] = relief.at(sx, sy)
        if (isSolid)
          for (let pass = 0; pass < 3; pass++) {
            const scale = (((distance + depth) / distance) * takenFrom) / (takenFrom + depth)
            ;[sx, sy] = [px * scale, py * scale]
            ;[depth, light] = relief.at(sx, sy)
          }
        const column = eyes.x + (sx * ux - sy * uy) * apart
        const row = eyes.y + (sx * uy + sy * ux) * apart
        const [c, r] = [
          Math.max(0, Math.min(image.width - 1.001, column)),
          Math.max(0, Math.min(image.height - 1.001, row)),
        ]
        const [c0, r0] = [Math.floor(c), Math.floor(r)]
        const [p, q] = [c - c0, r - r0]
        const source = (r0 * image.width + c0) * 4
        for (let k = 0; k < 3; k++) {
          const upper = image.data[source + k]! * (1 - p) + image.data[source + k + 4]! * p
          const lower =
            image.data[source + k + image.width * 4]! * (1 - p) +
            image.data[source + k + image.width * 4 + 4]! * p
          const value = linearOf[Math.round(upper * (1 - q) + lower * q)]!
          const lit =
            lighting.kind === 'screen'
              ? value * (1 + contrast * (isSolid ? light : 0.95) * screenLight[k]!)
              : lighting.kind === 'multiply'
                ? value * (1 + lighting.strength * screenLight[k]!)
                : value + lighting.strength * screenLight[k]!
          if ((x & 7) === 0 && (y & 7) === 0) brightness += lit
          const grain = (random() - 0.5) * 0.02
          pixels[at + k] =
            codedOf[Math.max(0, Math.min(4095, Math.round(4095 * lit * exposure * (1 + grain))))]!
        }
        pixels[at + 3] = 255
      }
    }
    const mean = brightness / ((width * height * 3) / 64)
    const wanted = 0.22 / mean
    const pace = around.exposureS === null ? 0 : 1 - Math.exp(-1 / framesPerSecond / around.exposureS)
    exposure = i === 0 ? wanted : exposure + (wanted - exposure) * pace
    if (i > 0) yield pixels
  }
}

/** A clip as H.264 in MP4. */
export async function renderClip(
  person: SimulatedPerson,
  subject: ClipSubject,
  lit: LitClip,
  random: Random,
): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'challenge-'))
  try {
    const file = path.join(folder, 'clip.mp4')
    const input = [
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgba',
      '-s',
      `${width}x${height}`,
      '-r',
      `${framesPerSecond}`,
      '-i',
      '-',
    ]
    const coding = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-crf', '26']
    const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-threads', '1', '-y', ...input, ...coding, file], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const ended = new Promise<void>((resolve, reject) => {
      ffmpeg.once('error', reject)
      ffmpeg.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`ffmpeg ended with ${code}`))))
    })
    for (const frame of drawFrames(person, subject, lit, random))
      if (!ffmpeg.stdin.write(frame)) await new Promise((resolve) => ffmpeg.stdin.once('drain', resolve))
    ffmpeg.stdin.end()
    await ended
    return new Uint8Array(await readFile(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A picture in which the face is large enough for a close look. */
export const isLargeEnough = ({ image, mesh }: SimulatedPerson): boolean =>
  eyeDistance(mesh) >= 80 && Math.min(image.width, image.height) >= 400
