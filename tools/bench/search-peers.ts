/** Peers of our 1:N search on Node: a plain loop, SQL, and a native approximate index (HNSW). */
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Client, createClient } from '@libsql/client'
import type { NormalizedTemplate } from '../../src/decide/comparison.ts'
import { Gallery } from '../../src/gallery/gallery.ts'
import type { EnrolledTemplate, GallerySource } from '../../src/gallery/source.ts'
import { compileSearchKernel } from '../../src/platform/server-wasm.ts'
import { quantile } from './quantiles.ts'
import { makeProbes, People } from './search-templates.ts'

export interface PeerFigures {
  name: string
  count: number
  buildMs: number
  p50Ms: number
  p95Ms: number
  /** Share found of the ten nearest, by normalised or by Euclidean distance. */
  recall: number
}

interface Peer {
  name: string
  /** Whether it ranks by normalised distance like ours, or by Euclidean distance. */
  isNormalised: boolean
  /** The ten nearest. */
  search(probe: NormalizedTemplate): Promise<number[]>
}

const candidates = 10
/** Number of probes whose results are compared with exact ones. */
const exactProbes = 20
const rowsPerInsert = 500

interface UsearchIndex {
  add(key: bigint, vector: Float32Array): void
  search(vector: Float32Array, count: number, threads: number): { keys: BigUint64Array }
}

interface Usearch {
  Index: new (options: {
    metric: string
    dimensions: number
    connectivity: number
    quantization: string
  }) => UsearchIndex
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)

const blobOf = (value: unknown): Float32Array => new Float32Array((value as ArrayBuffer).slice(0))

async function fillDatabase(client: Client, people: People): Promise<void> {
  await client.execute(
    'create table people (number integer primary key, vector blob, threshold real, scale real)',
  )
  for (let after = 0; after < people.count; after += rowsPerInsert) {
    const page = await people.added('', after, rowsPerInsert)
    await client.batch(
      page.map(({ number, vector, threshold, scale }) => ({
        sql: 'insert into people values (?, ?, ?, ?)',
        args: [number, bytesOf(vector), threshold, scale],
      })),
      'write',
    )
  }
}

/** People in a database; their number is given, as a service would know it. */
function databaseSource(client: Client, count: number): GallerySource {
  const select = async (condition: string, args: number[]): Promise<EnrolledTemplate[]> => {
    const sql = `select number, vector, threshold, scale from people where ${condition}`
    const { rows } = await client.execute({ sql, args })
    return rows.map(({ number, vector, threshold, scale }) => ({
      number: Number(number),
      subjectId: String(number),
      vector: blobOf(vector),
      threshold: Number(threshold),
      scale: Number(scale),
    }))
  }
  return {
    state: async () => ({ count, removedBefore: 0 }),
    added: (_collectionId, after, max) => select('number > ? order by number limit ?', [after, max]),
    removed: async () => [],
    read: (_collectionId, numbers) => select(`number in (${numbers.map(() => '?').join(',')})`, [...numbers]),
  }
}

async function overDatabase(client: Client, { count, templateLength }: People): Promise<Peer> {
  const gallery = new Gallery({
    source: databaseSource(client, count),
    templateLength,
    kernel: await compileSearchKernel(),
    snapshots: null,
    models: 'bench',
    memoryMaxBytes: 2e9,
    scanMax: 0,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    nowMs: () => Date.now(),
    onNoMemory() {},
    onError(error) {
      throw error
    },
  })
  const search = async (probe: NormalizedTemplate) =>
    ((await gallery.search('people', probe, candidates)) ?? []).map(({ number }) => number)
  // The first search builds the index.
  await search({ vector: new Float32Array(templateLength), threshold: 1, scale: 1 })
  return { name: 'vivace over a libSQL file', isNormalised: true, search }
}

const inDatabase = (client: Client): Peer => ({
  name: 'libSQL vector_distance_cos',
  isNormalised: false,
  async search({ vector }) {
    const { rows } = await client.execute({
      sql: 'select number from people order by vector_distance_cos(vector, ?) limit ?',
      args: [bytesOf(vector), candidates],
    })
    return rows.map(({ number }) => Number(number))
  },
})

const plainLoop = (people: People): Peer => ({
  name: 'plain loop over a Float32Array',
  isNormalised: true,
  search: async (probe) => people.nearest(probe, candidates),
})

function approximateIndex(benchFolder: string, people: People): Peer {
  const { Index } = createRequire(path.join(benchFolder, 'package.json'))('usearch') as Usearch
  const index = new Index({
    metric: 'l2sq',
    dimensions: people.templateLength,
    connectivity: 16,
    quantization: 'f32',
  })
  for (let number = 1; number <= people.count; number++)
    index.add(BigInt(number), people.template(number).vector)
  return {
    name: 'usearch (HNSW, native, one thread)',
    isNormalised: false,
    search: async ({ vector }) => [...index.search(vector, candidates, 1).keys].map(Number),
  }
}

async function measure(
  people: People,
  probes: readonly NormalizedTemplate[],
  open: () => Peer | Promise<Peer>,
): Promise<PeerFigures> {
  const start = performance.now()
  const peer = await open()
  const buildMs = performance.now() - start
  for (const probe of probes.slice(0, 5)) await peer.search(probe)
  const times: number[] = []
  let found = 0
  for (const [i, probe] of probes.entries()) {
    const begun = performance.now()
    const answer = await peer.search(probe)
    times.push(performance.now() - begun)
    if (i >= exactProbes) continue
    const exact = new Set(people.nearest(probe, candidates, peer.isNormalised))
    found += answer.filter((number) => exact.has(number)).length
  }
  return {
    name: peer.name,
    count: people.count,
    buildMs,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    recall: found / (Math.min(exactProbes, probes.length) * candidates),
  }
}

/** @param folder folder for the database */
export async function measurePeers(options: {
  benchFolder: string
  folder: string
  file: string
  count: number
  searches: number
}): Promise<PeerFigures[]> {
  const people = await People.read(options.file, options.count)
  const probes = await makeProbes(people, options.searches)
  const client = createClient({ url: `file:${path.join(options.folder, `people-${options.count}.db`)}` })
  try {
    await fillDatabase(client, people)
    const contenders = [
      () => overDatabase(client, people),
      () => plainLoop(people),
      () => inDatabase(client),
      () => approximateIndex(options.benchFolder, people),
    ]
    const figures: PeerFigures[] = []
    for (const open of contenders) figures.push(await measure(people, probes, open))
    return figures
  } finally {
    client.close()
  }
}
