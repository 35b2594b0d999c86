/** People of a folder as a simulated camera needs them: their picture, mesh, and how a screen would light them. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { openLocalEngine } from '../../../src/platform/server-engine.ts'
import { openModels } from '../../../src/platform/server-models.ts'
import type { Settings } from '../../../src/settings.ts'
import {
  colourUnits,
  type LightZone,
  lightZones,
  placeZones,
  recordLight,
} from '../../../src/vision/challenge/light-record.ts'
import { detectFaces } from '../../../src/vision/detect.ts'
import { openFaceDetector } from '../../../src/vision/detectors/registry.ts'
import { eyeDistance, type FaceMesh, type MeshPoint, meshIndex } from '../../../src/vision/facemesh.ts'
import { openLandmarkMethod } from '../../../src/vision/landmarks.ts'
import { estimateHeadPose } from '../../../src/vision/pose.ts'
import { toPyramid } from '../../../test/fixtures/codecs.ts'
import { decode } from '../../../test/fixtures/portraits.ts'
import { readCsv } from '../csv.ts'
import { groupBy } from '../group-by.ts'
import { spread } from '../spread.ts'
import type { Scene, ScenePart } from './lit-curves.ts'
import type { Head } from './nearing-meshes.ts'
import { between, type Random } from './random.ts'

export interface SimulatedPerson {
  name: string
  /** Of the folder's table; '' without one. */
  group: string
  image: RgbaImage
  mesh: FaceMesh
  /** Linear colours of the zones that the picture shows. */
  colours: ReadonlyMap<LightZone, readonly [number, number, number]>
  head: Head
  /** Places of the zones on the face, with their normals. */
  surface: ReadonlyMap<LightZone, readonly { at: MeshPoint; normal: Normal }[]>
}

type Normal = readonly [number, number, number]

const turnMax = 20
const faceSideMin = 60

type FindMesh = (image: RgbaImage) => Promise<FaceMesh | null>

/** Finds meshes as the service does. */
export async function openMeshFinder(settings: Settings): Promise<FindMesh> {
  const { chosen, files } = await openModels(settings)
  const { detector, landmarks } = chosen.profile
  const engine = await openLocalEngine(
    new Map([detector, landmarks].map((id) => [id, files.get(id)!] as const)),
  )
  const faces = openFaceDetector(engine, detector)
  const method = openLandmarkMethod(engine, landmarks)
  return async (image) => {
    const { faces: found, mesh, quarterTurns } = await detectFaces(faces, method, toPyramid(image))
    return found.length === 1 && quarterTurns === 0 ? mesh : null
  }
}

/** The mesh in eye distances around the middle between the eyes, eyes level. */
function toHead(mesh: FaceMesh): Head {
  const { points } = mesh
  const [right, left] = [points[meshIndex.rightEyeOuter]!, points[meshIndex.leftEyeOuter]!]
  const apart = eyeDistance(mesh)
  const [ux, uy] = [(left.x - right.x) / apart, (left.y - right.y) / apart]
  const middle = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2, z: (left.z + right.z) / 2 }
  return points.map(({ x, y, z }) => {
    const [dx, dy] = [(x - middle.x) / apart, (y - middle.y) / apart]
    return { x: dx * ux + dy * uy, y: dy * ux - dx * uy, z: (z - middle.z) / apart }
  })
}

/** Pictures of a folder that show one person from the front, spread over the groups of its table `PROVENANCE.csv`. */
export async function* readPeople(
  folder: string,
  count: number,
  findMesh: FindMesh,
): AsyncGenerator<SimulatedPerson> {
  const rows = (await readCsv(path.join(folder, 'PROVENANCE.csv'), 'PROVENANCE.csv', ['file'])) ?? []
  const groupOf = new Map(rows.map(({ cells }) => [path.basename(cells.file!), cells.group ?? '']))
  const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort()
  const groups = groupBy(names, (name) => groupOf.get(name) ?? '')
  for (const [group, members] of groups) {
    let found = 0
    const wanted = Math.ceil(count / groups.size)
    // Some pictures do not serve.
    for (const name of spread(members, wanted * 3)) {
      if (found >= wanted) break
      const image = await decode(new Uint8Array(await readFile(path.join(folder, name))))
      const mesh = await findMesh(image)
      if (!mesh) continue
      const { yaw, pitch } = estimateHeadPose(mesh)
      const head = toHead(mesh)
      if (Math.hypot(yaw, pitch) > turnMax || eyeDistance(mesh) * 1.6 < faceSideMin) continue
      const { colours } = recordLight(toPyramid(image), mesh, 0)
      const known = new Map(
        lightZones.flatMap((zone, i) => {
          const [r, g, b] = colours.slice(3 * i, 3 * i + 3).map((value) => value / colourUnits) as [
            number,
            number,
            number,
          ]
          return r >= 0 ? [[zone, [r, g, b] as const]] : []
        }),
      )
      if (!known.has('nose') || !known.has('chin') || !known.has('forehead')) continue
      found++
      yield { name, group, image, mesh, colours: known, head, surface: findSurface(head) }
    }
  }
}

/** Unit normal of a surface at a point, toward the camera, from the nearest other points. */
export function normalAt(head: Head, at: MeshPoint): Normal {
  const near = [...head]
    .map((point) => ({ point, apart: Math.hypot(point.x - at.x, point.y - at.y, point.z - at.z) }))
    .sort((a, b) => a.apart - b.apart)
    .slice(0, 14)
    .map(({ point }) => point)
  const mean = (of: (point: MeshPoint) => number) =>
    near.reduce((sum, point) => sum + of(point), 0) / near.length
  const [mx, my, mz] = [mean(({ x }) => x), mean(({ y }) => y), mean(({ z }) => z)]
  const [xx, xy, yy, xz, yz] = [
    mean(({ x }) => (x - mx) ** 2),
    mean(({ x, y }) => (x - mx) * (y - my)),
    mean(({ y }) => (y - my) ** 2),
    mean(({ x, z }) => (x - mx) * (z - mz)),
    mean(({ y, z }) => (y - my) * (z - mz)),
  ]
  const determinant = xx * yy - xy * xy || 1e-9
  const [dx, dy] = [(xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant]
  const length = Math.hypot(dx, dy, 1)
  return [dx / length, dy / length, -1 / length]
}

const findSurface = (head: Head): SimulatedPerson['surface'] =>
  new Map(
    placeZones({ points: head, presence: 1 }).map(({ zone, places }) => [
      zone,
      places.map((place) => {
        const at = { z: 0, ...place }
        return { at, normal: normalAt(head, at) }
      }),
    ]),
  )

/**
 * Light of a small screen on a point, relative to a point at the middle of the face that looks at it.
 * @param screen its place, in eye distances around the middle between the eyes
 */
export function lightOn(at: MeshPoint, normal: readonly [number, number, number], screen: MeshPoint): number {
  const [dx, dy, dz] = [screen.x - at.x, screen.y - at.y, screen.z - at.z]
  const apart = Math.hypot(dx, dy, dz)
  const cosine = (dx * normal[0] + dy * normal[1] + dz * normal[2]) / apart
  // A screen is no point: it reaches around edges a little.
  const facing = Math.max(0, (cosine + 0.12) / 1.12)
  return (facing * Math.hypot(screen.x, screen.y, screen.z) ** 2) / apart ** 2
}

/** Zones of skin: differences of their brightness are those of the ambient light. */
const skinZones = new Set<LightZone>([
  'forehead',
  'nose',
  'rightCheek',
  'leftCheek',
  'chin',
  'rightSide',
  'leftSide',
  'neck',
])
const front = ['forehead', 'nose', 'rightCheek', 'leftCheek', 'chin'] as const

const brightnessOf = ([r, g, b]: readonly [number, number, number]): number => (r + g + b) / 3

/** The scene of a person before a screen at a usual distance, in the light of the picture. */
export function makeScene({ colours, surface }: SimulatedPerson, random: Random): Scene {
  const skin = brightnessOf(
    [0, 1, 2].map(
      (i) => front.reduce((sum, zone) => sum + (colours.get(zone)?.[i] ?? 0), 0) / front.length,
    ) as [number, number, number],
  )
  const distance = between(random, 3.1, 4.6)
  const screen = { x: between(random, -0.4, 0.4), y: between(random, 0.3, 1.1), z: -distance }
  const behind = between(random, 4, 35)
  const beyond: Partial<Record<LightZone, number>> = {
    rightEar: between(random, 0.15, 0.35),
    leftEar: between(random, 0.15, 0.35),
    top: between(random, 0.25, 0.5),
    neck: (between(random, 0.45, 0.85) * distance ** 2) / (distance + between(random, 0.5, 1.1)) ** 2,
    rightBackground: (0.8 * distance ** 2) / (distance + behind) ** 2,
    leftBackground: (0.8 * distance ** 2) / (distance + behind) ** 2,
  }
  const wall = [0, 1, 2].map(() => between(random, 0.05, 0.5)) as [number, number, number]
  const wallAmbient = between(random, 0.3, 1.5)
  const parts = [...surface].map(([zone, places]): [LightZone, ScenePart] => {
    const isWall = zone === 'rightBackground' || zone === 'leftBackground'
    const colour = colours.get(zone) ?? (isWall ? wall : (colours.get('chin') ?? wall))
    const ambient = isWall
      ? wallAmbient
      : skinZones.has(zone)
        ? Math.min(2, Math.max(0.3, brightnessOf(colour) / skin))
        : 1
    const onMesh = places.map(({ at, normal }) => lightOn(at, normal, screen))
    return [
      zone,
      {
        colour,
        ambient,
        screen: beyond[zone] ?? onMesh.reduce((sum, light) => sum + light, 0) / onMesh.length,
      },
    ]
  })
  return Object.fromEntries(parts) as Scene
}
