/** Meshes of a head, or of a picture of it, that comes nearer to a camera: as a network finds them, with its errors. */
import { type ApproachRecord, ApproachRecorder } from '../../../src/vision/challenge/approach-record.ts'
import { type MeshPoint, meshIndex } from '../../../src/vision/facemesh.ts'
import { between, createDrift, normal, type Random } from './random.ts'

/** 468 points in eye distances around the middle between the eyes; z away from the camera. */
export type Head = readonly MeshPoint[]

/** What comes nearer, or seems to. */
export const nearings = [
  'person',
  'zoom',
  'tablet',
  'tilted print',
  'bent print',
  'bent print, turning',
  'cut print around a head',
] as const
export type Nearing = (typeof nearings)[number]

/** How a picture is bent, and whether it is held at an angle that stays, or that changes. */
const pictures: Readonly<
  Record<Exclude<Nearing, 'person'>, { curve: 'none' | 'bent' | 'cut'; tilt: 'none' | 'still' | 'turning' }>
> = {
  zoom: { curve: 'none', tilt: 'none' },
  tablet: { curve: 'none', tilt: 'none' },
  'tilted print': { curve: 'none', tilt: 'still' },
  'bent print': { curve: 'bent', tilt: 'none' },
  'bent print, turning': { curve: 'bent', tilt: 'turning' },
  'cut print around a head': { curve: 'cut', tilt: 'none' },
}

export interface NearingCamera {
  /** In longer sides of the picture. */
  focalLength: number
  /** Shorter side relative to the longer one. */
  aspect: number
  /** Width of the face in shorter sides of the picture, at the beginning and at the end. */
  from: number
  to: number
  framesPerSecond: number
  durationS: number
  /** Deviation of a point in eye distances: alone, and together with its neighbours. */
  noise: number
  bias: number
}

export const drawCamera = (random: Random): NearingCamera => ({
  focalLength: between(random, 0.62, 0.9),
  aspect: random() < 0.5 ? 9 / 16 : 3 / 4,
  from: between(random, 0.26, 0.34),
  to: between(random, 0.56, 0.68),
  framesPerSecond: between(random, 6, 12),
  durationS: between(random, 2, 4),
  noise: between(random, 0.004, 0.012),
  bias: between(random, 0.004, 0.012),
})

/** Millimetres between the outer corners of the eyes. */
const eyesMm = 90
const side = 20_000

interface Pose {
  yaw: number
  pitch: number
  x: number
  y: number
}

function turn({ x, y, z }: MeshPoint, { yaw, pitch }: Pose): MeshPoint {
  const [x1, z1] = [x * Math.cos(yaw) - z * Math.sin(yaw), z * Math.cos(yaw) + x * Math.sin(yaw)]
  return {
    x: x1,
    y: y * Math.cos(pitch) + z1 * Math.sin(pitch),
    z: z1 * Math.cos(pitch) - y * Math.sin(pitch),
  }
}

/** @param distance of the camera from the eyes, in eye distances */
const project = ({ x, y, z }: MeshPoint, distance: number): MeshPoint => ({
  x: (x / (distance + z)) * distance,
  y: (y / (distance + z)) * distance,
  z,
})

/** Smooth errors of a network over the face: polynomials of random coefficients. */
function createBias(random: Random, size: number): (point: MeshPoint) => readonly [number, number] {
  const terms = Array.from({ length: 20 }, () => normal(random))
  return ({ x, y }) => {
    const values = [1, x, y, x * x, x * y, y * y, x ** 3, x * x * y, x * y * y, y ** 3]
    const at = (from: number) => values.reduce((sum, value, i) => sum + value * terms[from + i]!, 0) / 3
    return [at(0) * size, at(10) * size]
  }
}

/** The record of a clip in which the face grows. */
export function simulateApproach(
  head: Head,
  nearing: Nearing,
  camera: NearingCamera,
  random: Random,
): ApproachRecord {
  const { focalLength, aspect, from, to, framesPerSecond, durationS, noise, bias } = camera
  const picture = nearing === 'person' ? null : pictures[nearing]
  const { leftCheek, rightCheek } = meshIndex
  const faceWidth = Math.abs(head[leftCheek]!.x - head[rightCheek]!.x)
  const focal = focalLength * side
  // An attacker took the picture from some distance.
  const taken = between(random, 300, 900) / eyesMm
  const still = head.map((point) => project(point, taken))
  const curve = between(random, 0.05, 0.25)
  const flat: Head = still.map(({ x, y }) => ({
    x,
    y,
    z: picture?.curve === 'bent' ? curve * x * x : picture?.curve === 'cut' ? 0.25 * x * x + 0.05 * y * y : 0,
  }))
  const shape = picture ? flat : head
  // Of the eyes; the face is as wide as the ears show it, which lie behind them.
  const earsBehind = (shape[leftCheek]!.z + shape[rightCheek]!.z) / 2
  const distanceFor = (share: number) => (focal * faceWidth) / (share * side * aspect) - earsBehind
  const far = distanceFor(from)
  const turnsMuch = picture?.tilt === 'turning'
  const tilt = picture && picture.tilt !== 'none' ? between(random, -0.4, 0.4) : 0
  const sway = [0.97, 0.97, 0.97, 0.97].map((likeness) => createDrift(random, likeness))
  const recorder = new ApproachRecorder()
  const frames = Math.round(framesPerSecond * durationS)
  // The network's errors depend on how the face looks, which changes on the way.
  const [biasFar, biasNear] = [createBias(random, bias), createBias(random, bias / 2)]
  for (let i = 0; i < frames; i++) {
    if (random() < 0.05) continue
    const progress = Math.min(1, i / (frames - 1) / 0.8)
    const distance = distanceFor(from + (to - from) * (3 * progress ** 2 - 2 * progress ** 3))
    const pose: Pose = {
      yaw: 0.04 * sway[0]!() + tilt * (turnsMuch ? progress : 1),
      pitch: 0.05 * sway[1]!() + (turnsMuch ? 0.1 * progress : 0),
      x: 0.15 * sway[2]!(),
      y: 0.15 * sway[3]!(),
    }
    const isZoom = nearing === 'zoom'
    const points = shape.map((point) => {
      const turned = turn(point, isZoom ? { ...pose, yaw: 0, pitch: 0 } : pose)
      const at = { x: turned.x + pose.x, y: turned.y + pose.y, z: turned.z }
      const scale = isZoom ? focal / distance : focal / (distance + at.z)
      const [bx, by] = biasFar(turned)
      const [nx, ny] = biasNear(turned)
      const growth = far / distance - 1
      const eye = focal / distance
      return {
        x: at.x * scale + (bx + nx * growth + noise * normal(random)) * eye + (side * aspect) / 2,
        y: at.y * scale + (by + ny * growth + noise * normal(random)) * eye + side / 2,
        z: 0,
      }
    })
    // The network sees a head, whatever is there.
    const seen = points.map((point, at) => ({ ...point, z: (head[at]!.z * focal) / distance }))
    recorder.add({ points: seen, presence: 1 }, { width: side * aspect, height: side }, i / framesPerSecond)
  }
  return recorder.read() ?? { depths: [], frames: [] }
}
