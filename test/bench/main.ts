/**
 * `npm run bench [-- --runs N] [--json FILE]`: runs everything alternately on the same photos, so that fluctuations of the
 * machine affect all equally: our assessment of a photo in WebAssembly, the same on the native ONNX runtime, also with sharp,
 * face-api and human. Then the throughput of a server with two workers and two callers.
 *
 * `npm run bench -- peers [--runs N] [--json FILE]`: start, memory, first and later answers of each contender in a process of its
 * own.
 *
 * `npm run bench -- start [--runs N] [--json FILE]`: how long a server takes to listen.
 *
 * `npm run bench -- persistent [--folders N] [--orders N] [--runs N] [--json FILE]`: the service with stored folders.
 *
 * `npm run bench -- statistics [--analyses N] [--runs N] [--json FILE]`: statistics of many stored analyses.
 *
 * `npm run bench -- search [--sizes N,N] [--searches N] [--peersMax N] [--json FILE]`: 1:N search in collections.
 *
 * `npm run bench -- video [--runs N] [--json FILE]`: clips, by codec; their throughput, and the memory of workers.
 *
 * `--alone` skips the peers, which then need not be installed, and for clips all codecs except H.264.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Contender } from './contender.ts'
import { thisMachine } from './machine.ts'
import { openOurs } from './ours.ts'
import { benchFolder, installPeers, openPeers } from './peer-files.ts'
import { measurePeers, peersTable } from './peers.ts'
import { measurePersistent, persistentTable } from './persistent.ts'
import { benchPhotos } from './photos.ts'
import { quantile } from './quantiles.ts'
import { measureSearch, searchText } from './search.ts'
import { measureStart, startText } from './start.ts'
import { measureStatistics, statisticsText } from './statistics.ts'
import { measureThroughput, type Throughput } from './throughput.ts'
import { measureVideo, videoText } from './video.ts'

interface Measured {
  name: string
  photo: string
  medianMs: number
  minMs: number
  stagesMs: Record<string, number>
  /** Median over the rounds of this contender's time divided by ours. */
  ratio: number
}

const warmUpRounds = 5

async function measurePhoto(
  contenders: readonly Contender[],
  photo: string,
  bytes: Uint8Array,
  rounds: number,
): Promise<Measured[]> {
  const times = new Map(
    contenders.map(({ name }) => [name, [] as { ms: number; stages: Record<string, number> }[]]),
  )
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { name, run } of contenders) {
      const result = await run(bytes)
      if (round >= 0) times.get(name)!.push(result)
    }
    process.stderr.write(`\r${photo}: round ${Math.max(0, round + 1)} of ${rounds} `)
  }
  process.stderr.write('\n')
  const ours = times.get(contenders[0]!.name)!
  return contenders.map(({ name }) => {
    const runs = times.get(name)!
    const stages = Object.keys(runs[0]?.stages ?? {})
    return {
      name,
      photo,
      medianMs: quantile(
        runs.map(({ ms }) => ms),
        0.5,
      ),
      minMs: Math.min(...runs.map(({ ms }) => ms)),
      stagesMs: Object.fromEntries(
        stages.map((stage) => [
          stage,
          quantile(
            runs.map((run) => run.stages[stage] ?? 0),
            0.5,
          ),
        ]),
      ),
      ratio: quantile(
        runs.map(({ ms }, round) => ms / ours[round]!.ms),
        0.5,
      ),
    }
  })
}

function photoTable(rows: readonly Measured[]): string {
  return rows
    .map(({ name, medianMs, minMs, ratio, stagesMs }) => {
      const stages = Object.entries(stagesMs).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`)
      return [
        name.padEnd(34),
        `${medianMs.toFixed(1)} ms`.padStart(10),
        `min ${minMs.toFixed(1)}`.padStart(11),
        `× ${ratio.toFixed(2)}`.padStart(8),
        `  ${stages.join(', ')}`,
      ].join('')
    })
    .join('\n')
}

const throughputLine = ({
  requestsPerMinute,
  p50Ms,
  p95Ms,
  requests,
  callers,
  workers,
}: Throughput): string =>
  `Instant, one photo, liveness: ${requestsPerMinute.toFixed(0)} requests a minute, p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms (${requests} requests, ${callers} callers, ${workers} workers)`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    json: { type: 'string', default: 'bench.json' },
    folders: { type: 'string', default: '100000' },
    orders: { type: 'string', default: '60' },
    analyses: { type: 'string', default: '1000000' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    searches: { type: 'string', default: '200' },
    peersMax: { type: 'string', default: '100000' },
    alone: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.runs)

async function write(measured: object): Promise<void> {
  const date = new Date().toISOString()
  await writeFile(values.json, `${JSON.stringify({ date, machine: thisMachine(), ...measured }, null, 2)}\n`)
  process.stdout.write(`written to ${values.json}\n`)
}

async function benchPersistent(): Promise<void> {
  const { folders, orders } = values
  const measured = await measurePersistent({
    folders: Number(folders),
    orders: Number(orders),
    runs: rounds,
  })
  process.stdout.write(`${persistentTable(measured)}\n`)
  await write(measured)
}

async function benchPeers(): Promise<void> {
  await installPeers()
  const measured = await measurePeers(rounds)
  process.stdout.write(`${peersTable(measured)}\n`)
  await write({ rounds, peers: measured })
}

async function benchAssessment(): Promise<void> {
  if (!values.alone) await installPeers()
  const { profile, contenders: ours } = await openOurs(benchFolder, !values.alone)
  const contenders = [...ours, ...(values.alone ? [] : await openPeers())]
  const photos: Measured[] = []
  for (const { name, bytes } of await benchPhotos()) {
    const rows = await measurePhoto(contenders, name, bytes, rounds)
    process.stdout.write(
      `\n${name}, profile ${profile}, median of ${rounds}; × is the time relative to ours\n${photoTable(rows)}\n`,
    )
    photos.push(...rows)
  }
  const throughput = await measureThroughput()
  process.stdout.write(`\n${throughputLine(throughput)}\n`)
  await write({ profile, rounds, photos, throughput })
}

async function benchVideo(): Promise<void> {
  const measured = await measureVideo(benchFolder, rounds, values.alone)
  process.stdout.write(`${videoText(measured)}\n`)
  await write(measured)
}

async function benchStatistics(): Promise<void> {
  const measured = await measureStatistics(Number(values.analyses), rounds)
  process.stdout.write(`${statisticsText(measured)}\n`)
  await write(measured)
}

async function benchStart(): Promise<void> {
  const measured = await measureStart(rounds)
  process.stdout.write(`${startText(measured)}\n`)
  await write(measured)
}

async function benchSearch(): Promise<void> {
  if (!values.alone) await installPeers()
  const measured = await measureSearch({
    benchFolder,
    sizes: values.sizes.split(',').map(Number),
    searches: Number(values.searches),
    peersMax: values.alone ? 0 : Number(values.peersMax),
  })
  process.stdout.write(`${searchText(measured)}\n`)
  await write(measured)
}

const benches: Record<string, () => Promise<void>> = {
  peers: benchPeers,
  persistent: benchPersistent,
  search: benchSearch,
  start: benchStart,
  statistics: benchStatistics,
  video: benchVideo,
}
await (benches[positionals[0] ?? ''] ?? benchAssessment)()
process.exit(0)
