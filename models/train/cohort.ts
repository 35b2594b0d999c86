/**
 * Builds the cohort of a template network from pictures of all regions, and prints the operating point for the manifest.
 *
 *   node scripts/run.mjs models/train/cohort.ts NETWORK OUT.f16 FIT_DIR
 *
 * FIT_DIR contains pictures, and `fairface/` with faces whose regions are listed in its `PROVENANCE.csv`. Each member is the
 * mean of the templates of two strangers from one group, scaled to the usual length of templates: so no member is a real
 * person's template, and members lie in the same space as faces. Half of `fairface/` goes into the cohort, the other half sets
 * the threshold: in each region with enough pairs, at most one pair of strangers in a thousand is closer.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Cohort, openCohort, writeCohort } from '../../src/decide/cohort.ts'
import { compareTemplates, normalizeTemplate } from '../../src/decide/comparison.ts'
import { euclidean } from '../../src/decide/distance.ts'
import { invariant } from '../../src/errors.ts'
import type { ModelId } from '../../src/inference/engine.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { openYunet } from '../../src/vision/detectors/yunet.ts'
import { measureQuality } from '../../src/vision/quality.ts'
import { openTemplateMethod } from '../../src/vision/templates/registry.ts'
import { walkFaces } from './faces.ts'
import { openTrainingDeps } from './training-deps.ts'

type Network = 'faceplugin-feature' | 'dlib-resnet29'

interface Face {
  file: string
  /** Region, or `mixed` for pictures without a known region. */
  group: string
  vectors: Record<Network, Float32Array>
}

const memberCount = 1000
const sharpnessMin = 0.03
const fmrMax = 0.001
/** Regions with fewer pairs do not influence the threshold: one pair of pictures of the same person could move it. */
const pairsMin = 5000
/** Difference in log odds to the score 0.935, which corresponds to a tenth of that rate. */
const rarerOdds = Math.log(0.935 / 0.065) - Math.log(0.85 / 0.15)

/** A seeded generator of pseudo-random numbers 0…1 (the linear congruential generator of Numerical Recipes). */
function createGenerator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

async function readFaces(folder: string): Promise<{ faces: Face[]; ids: Record<Network, string> }> {
  const deps = await openTrainingDeps()
  const networks = ['faceplugin-feature', 'dlib-resnet29'] as const
  const methods = networks.map((network) => [network, openTemplateMethod(deps.engine, network)] as const)
  const regions = path.join(folder, 'fairface')
  const table = (await readFile(path.join(regions, 'PROVENANCE.csv'), 'utf8')).trim().split('\n').slice(1)
  const groups = new Map(table.map((line) => line.split(',').slice(0, 2) as [string, string]))
  const faces: Face[] = []
  for await (const { file, pyramid, face, mesh } of walkFaces(deps, openYunet(deps.engine), [
    folder,
    regions,
  ])) {
    const group = groups.get(path.relative(folder, file)) ?? 'mixed'
    if (group === 'mixed' && measureQuality(pyramid, face, mesh).sharpness < sharpnessMin) continue
    const vectors: Partial<Face['vectors']> = {}
    for (const [network, method] of methods) vectors[network] = await method.extract(pyramid, mesh)
    faces.push({ file, group, vectors: vectors as Face['vectors'] })
  }
  return { faces, ids: Object.fromEntries(methods.map(([network, { id }]) => [network, id])) as never }
}

/**
 * Whether two pictures may show the same person, as in albums. Identities are not labelled, and a very small distance may also
 * be an error of the network: the report counts the excluded pairs, and those of them on which dlib disagrees.
 */
function mayBeOnePerson(a: Face, b: Face): boolean {
  const near = euclidean(a.vectors['faceplugin-feature'], b.vectors['faceplugin-feature'])
  const alsoNear = euclidean(a.vectors['dlib-resnet29'], b.vectors['dlib-resnet29'])
  return near < 0.8 || (near < 1 && alsoNear < 0.5)
}

function groupFaces(faces: readonly Face[]): Map<string, Face[]> {
  const groups = new Map<string, Face[]>()
  for (const face of faces) groups.set(face.group, [...(groups.get(face.group) ?? []), face])
  return groups
}

const lengthOf = (vector: Float32Array): number => Math.hypot(...vector)

function makeMembers(faces: readonly Face[], network: Network): Float32Array[] {
  const random = createGenerator(7)
  const groups = [...groupFaces(faces).values()]
  const usual = faces.reduce((sum, { vectors }) => sum + lengthOf(vectors[network]), 0) / faces.length
  const draw = (list: readonly Face[]) => list[Math.floor(random() * list.length)]!
  const members: Float32Array[] = []
  while (members.length < memberCount) {
    const group = groups[members.length % groups.length]!
    const [a, b] = [draw(group), draw(group)]
    if (a.file === b.file || mayBeOnePerson(a, b)) continue
    const sum = a.vectors[network].map((value, i) => value + b.vectors[network][i]!)
    const scale = usual / lengthOf(sum)
    members.push(sum.map((value) => value * scale))
  }
  return members
}

interface Strangers {
  /** Normalised distances of strangers within one region, smallest first. */
  distances: number[]
  /** Excluded pairs that may show one person, and those of them that dlib regards as different persons. */
  leftOut: number
  leftOutAlone: number
}

function compareStrangers(faces: readonly Face[], network: Network, cohort: Cohort): Strangers {
  const modelId = cohort.templateModelId
  const normalized = faces.map(({ vectors }) =>
    normalizeTemplate(cohort, { modelId, vector: vectors[network] }),
  )
  const distances: number[] = []
  let [leftOut, leftOutAlone] = [0, 0]
  for (let i = 0; i < faces.length; i++) {
    for (let j = i + 1; j < faces.length; j++) {
      const [a, b] = [faces[i]!, faces[j]!]
      if (mayBeOnePerson(a, b)) {
        leftOut++
        if (euclidean(a.vectors['dlib-resnet29'], b.vectors['dlib-resnet29']) >= 0.6) leftOutAlone++
        continue
      }
      distances.push(compareTemplates(normalized[i]!, normalized[j]!).normalisedDistance)
    }
  }
  return { distances: distances.sort((a, b) => a - b), leftOut, leftOutAlone }
}

const [network, out, folder] = process.argv.slice(2) as [Network, string, string]
if (!folder) throw new Error('usage: cohort.ts NETWORK OUT.f16 FIT_DIR')
const { faces, ids } = await readFaces(folder)
const regional = faces.filter(({ group }) => group !== 'mixed')
const inCohort = new Set(regional.filter((_, i) => i % 2 === 0))
const members = makeMembers(
  faces.filter((face) => face.group === 'mixed' || inCohort.has(face)),
  network,
)
const bytes = writeCohort(members)
await writeFile(out, bytes)

const plain = openCohort({ id: 'new', templateModelId: ids[network], threshold: 0, slope: 1 }, members)
const apart = groupFaces(regional.filter((face) => !inCohort.has(face)))
const byRegion = [...apart].map(
  ([region, list]) => [region, list.length, compareStrangers(list, network, plain)] as const,
)
const at = (distances: readonly number[], share: number) => distances[Math.floor(distances.length * share)]!
const threshold = Math.min(
  ...byRegion
    .filter(([, , { distances }]) => distances.length >= pairsMin)
    .map(([, , { distances }]) => at(distances, fmrMax)),
)
const pooled = byRegion.flatMap(([, , { distances }]) => distances).sort((a, b) => a - b)
invariant(pooled.length > 0, 'there are strangers to measure')
const share = (distances: readonly number[], limit: number) =>
  distances.filter((distance) => distance < limit).length / distances.length
const report = {
  network: network satisfies ModelId,
  templateModelId: ids[network],
  faces: Object.fromEntries([...groupFaces(faces)].map(([g, list]) => [g, list.length])),
  members: members.length,
  sha256: sha256(bytes),
  threshold,
  slope: rarerOdds / (at(pooled, fmrMax) - at(pooled, fmrMax / 10)),
  regions: Object.fromEntries(
    byRegion.map(([region, count, { distances, leftOut, leftOutAlone }]) => [
      region,
      {
        faces: count,
        pairs: distances.length,
        falseMatchRate: share(distances, threshold),
        leftOut,
        leftOutAlone,
      },
    ]),
  ),
  pooledFalseMatchRate: share(pooled, threshold),
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
