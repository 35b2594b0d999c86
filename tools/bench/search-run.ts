/**
 * One runtime's part of `npm run bench -- search`: `search-run.ts PEOPLE_FILE COUNT SEARCHES`. Prints one line of JSON.
 */
import { Gallery } from '../../src/gallery/gallery.ts'
import { calmRefreshes } from '../../src/gallery/snapshot-manager.ts'
import type { GallerySnapshots } from '../../src/gallery/source.ts'
import { bytesFor } from '../../src/gallery/template-index.ts'
import { compileSearchKernel } from '../../src/platform/server-wasm.ts'
import { quantile } from './quantiles.ts'
import { makeProbes, People } from './search-templates.ts'

export interface SearchFigures {
  count: number
  /** Time from rows in memory to the first result. */
  buildMs: number
  /** The same from a snapshot in memory; `null` if the index is too small for one. */
  snapshotMs: number | null
  /** Memory of the index. */
  indexBytes: number
  p50Ms: number
  p95Ms: number
  /** Longest time in a search during which nothing else could run. */
  heldMs: number
  recall: number
}

const candidates = 10
const exactProbes = 20

/** A snapshot in memory, so that the disk is not measured. */
class OneSnapshot implements GallerySnapshots {
  #bytes: Uint8Array | null = null

  async list() {
    return []
  }

  async read() {
    return this.#bytes
  }

  async write(_collectionId: string, parts: Iterable<Uint8Array>) {
    this.#bytes = new Uint8Array(await new Blob([...parts] as BlobPart[]).arrayBuffer())
  }

  async remove() {
    this.#bytes = null
  }

  get isThere(): boolean {
    return this.#bytes !== null
  }
}

const [file = '', count = '0', searches = '0'] = process.argv.slice(2)
const people = await People.read(file, Number(count))
const probes = await makeProbes(people, Number(searches))
const kernel = await compileSearchKernel()
const snapshots = new OneSnapshot()

/** Measures the longest time without a pause since the last query. */
let heldMs = 0
let since = 0
const pause = async () => {
  heldMs = Math.max(heldMs, performance.now() - since)
  await new Promise<void>((resolve) => setImmediate(resolve))
  since = performance.now()
}

const openGallery = () =>
  new Gallery({
    templateLength: people.templateLength,
    source: people,
    kernel,
    snapshots,
    models: 'bench',
    memoryMaxBytes: 2e9,
    scanMax: 0,
    pause,
    nowMs: () => Date.now(),
    onNoMemory: () => {
      throw new Error('there is too little memory')
    },
    onError: (error) => {
      throw error
    },
  })

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const gallery = openGallery()
const first = probes[0]!
const buildMs = await timed(() => gallery.search('people', first, candidates))
for (const probe of probes.slice(0, 20)) await gallery.search('people', probe, candidates)
const times: number[] = []
heldMs = 0
for (const probe of probes) {
  since = performance.now()
  times.push(await timed(() => gallery.search('people', probe, candidates)))
  heldMs = Math.max(heldMs, performance.now() - since)
}
const longestMs = heldMs

let found = 0
for (const probe of probes.slice(0, exactProbes)) {
  const exact = new Set(people.nearest(probe, candidates))
  const answer = (await gallery.search('people', probe, candidates)) ?? []
  found += answer.filter(({ number }) => exact.has(number)).length
}

for (let look = 0; look <= calmRefreshes; look++) await gallery.refresh()
const snapshotMs = snapshots.isThere
  ? await timed(() => openGallery().search('people', first, candidates))
  : null
const figures: SearchFigures = {
  count: people.count,
  buildMs,
  snapshotMs,
  indexBytes: bytesFor(people.count, people.templateLength),
  p50Ms: quantile(times, 0.5),
  p95Ms: quantile(times, 0.95),
  heldMs: longestMs,
  recall: found / (Math.min(exactProbes, probes.length) * Math.min(candidates, people.count)),
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
