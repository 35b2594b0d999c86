/**
 * `npm run bench -- search [--sizes 10000,100000,1000000] [--searches 200] [--peersMax 100000] [--json FILE]`: 1:N search on
 * Node, Bun and Deno, each in its own process, then the peers on Node, with up to `peersMax` people.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { modelsFolder } from '../../src/platform/server-models.ts'
import { aims } from './aims.ts'
import { measurePeers, type PeerFigures } from './search-peers.ts'
import type { SearchFigures } from './search-run.ts'
import { writePeople } from './search-templates.ts'

export interface SearchBench {
  searches: number
  runtimes: (SearchFigures & { runtime: string })[]
  peers: PeerFigures[]
}

const root = path.join(modelsFolder, '..')
const installed = (name: string): string => path.join(root, 'test', 'runtime', 'node_modules', '.bin', name)

/** How each runtime starts a TypeScript file; runtimes that are not installed are skipped (`npm run runtimes`). */
const runtimes: [name: string, command: string, args: string[]][] = [
  ['node', process.execPath, ['scripts/run.mjs']],
  ['bun', installed('bun'), ['run']],
  ['deno', installed('deno'), ['run', '-A']],
]

async function runOne(command: string, args: readonly string[]): Promise<SearchFigures> {
  const { stdout } = await promisify(execFile)(command, [...args], { cwd: root })
  return JSON.parse(stdout) as SearchFigures
}

/** Measures and removes the synthetic people afterwards. @returns all results */
export async function measureSearch(options: {
  benchFolder: string
  sizes: readonly number[]
  searches: number
  peersMax: number
}): Promise<SearchBench> {
  const { benchFolder, sizes, searches, peersMax } = options
  const folder = await mkdtemp(path.join(tmpdir(), 'vivace-search-'))
  const file = path.join(folder, 'people')
  try {
    await writePeople(file, Math.max(...sizes))
    const measured: SearchBench = { searches, runtimes: [], peers: [] }
    for (const count of sizes) {
      for (const [runtime, command, args] of runtimes) {
        if (!existsSync(command)) continue
        process.stderr.write(`${runtime}, ${count} people\n`)
        const figures = await runOne(command, [
          ...args,
          ...['tools/bench/search-run.ts', file, String(count), String(searches)],
        ])
        measured.runtimes.push({ runtime, ...figures })
      }
      if (count > peersMax) continue
      process.stderr.write(`others, ${count} people\n`)
      measured.peers.push(...(await measurePeers({ benchFolder, folder, file, count, searches })))
    }
    return measured
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const cells = (name: string, ...values: (string | number)[]): string =>
  name.padEnd(36) + values.map((value) => String(value).padStart(11)).join('')

/** Formats the results as text. */
const searchAims = Object.entries(aims.searchP95Ms)
  .map(([people, ms]) => `${ms} with ${people} people`)
  .join(', ')

export function searchText({ searches, runtimes: ours, peers }: SearchBench): string {
  const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0)
  return [
    `1:N search for ten candidates, ${searches} searches, ms (aims for p95: ${searchAims})`,
    cells('', 'people', 'build', 'snapshot', 'MB', 'p50', 'p95', 'held', 'recall@10'),
    ...ours.map((row) =>
      cells(
        `vivace, ${row.runtime}`,
        row.count,
        ms(row.buildMs),
        row.snapshotMs === null ? '—' : ms(row.snapshotMs),
        (row.indexBytes / 1e6).toFixed(1),
        ms(row.p50Ms),
        ms(row.p95Ms),
        ms(row.heldMs),
        row.recall.toFixed(4),
      ),
    ),
    '',
    cells('on Node', 'people', 'build', 'p50', 'p95', 'recall@10'),
    ...peers.map((row) =>
      cells(row.name, row.count, ms(row.buildMs), ms(row.p50Ms), ms(row.p95Ms), row.recall.toFixed(4)),
    ),
    'recall of the ten nearest by normalised distance for vivace and the loop, by Euclidean distance for the others',
  ].join('\n')
}
