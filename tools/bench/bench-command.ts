/** `npm run bench`: measures speed and memory, beside others on the same machine. */
import { writeFile } from 'node:fs/promises'
import {
  type Command,
  describeUnknown,
  readArguments,
  readCount,
  say,
  UsageError,
} from '../../scripts/cli/command.ts'
import { hasFfmpeg } from '../../test/fixtures/clips.ts'
import { aims } from './aims.ts'
import type { Contender } from './contender.ts'
import { isolateText, measureIsolate } from './isolate.ts'
import { thisMachine } from './machine.ts'
import { measureMemory, memoryText } from './memory.ts'
import { measureMixed, mixedText } from './mixed.ts'
import { openOurs } from './ours.ts'
import { benchFolder, installPeers, openPeers } from './peer-files.ts'
import { measurePeers, peersTable } from './peers.ts'
import { measurePersistent, persistentTable } from './persistent.ts'
import { benchPhotos } from './photos.ts'
import { quantile } from './quantiles.ts'
import { measureScale, scaleText } from './replicas.ts'
import { measureRuntimes, runtimesText } from './runtimes.ts'
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

const photoAim = (photo: string): string =>
  photo.endsWith(' 12 megapixels') ? ` (aim: ${aims.photoOf12MegapixelsMs} ms)` : ''

function ratioAim(name: string, photo: string): string {
  const unversioned = name.replace(/ [\d.]+$/, '')
  const aim = aims.timesOurs.find((known) => known.contender === unversioned && photo.endsWith(known.photo))
  return aim ? ` (aim: at least ${aim.times})` : ''
}

function photoTable(rows: readonly Measured[]): string {
  return rows
    .map(({ name, photo, medianMs, minMs, ratio, stagesMs }) => {
      const stageAim = (stage: string) => (stage === 'shots' ? ` (aim: ${aims.shotsMs})` : '')
      const stages = Object.entries(stagesMs).map(
        ([stage, ms]) => `${stage} ${ms.toFixed(1)}${stageAim(stage)}`,
      )
      return [
        name.padEnd(34),
        `${medianMs.toFixed(1)} ms`.padStart(10),
        `min ${minMs.toFixed(1)}`.padStart(11),
        `× ${ratio.toFixed(2)}`.padStart(8),
        ratioAim(name, photo),
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
  `Instant, one photo, liveness: ${requestsPerMinute.toFixed(0)} requests a minute (aim: ${aims.requestsPerMinute}), p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms (${requests} requests, ${callers} callers, ${workers} workers)`

interface BenchOptions {
  rounds: number
  /** File for the results. */
  json: string
  folders: number
  orders: number
  /** Of a core, for each replica. */
  percent: number
  analyses: number
  /** Of mixed work. */
  seconds: number
  sizes: number[]
  searches: number
  peersMax: number
  alone: boolean
}

async function write(measured: object, { json }: BenchOptions): Promise<void> {
  const date = new Date().toISOString()
  await writeFile(json, `${JSON.stringify({ date, machine: thisMachine(), ...measured }, null, 2)}\n`)
  say(`written to ${json}`)
}

async function benchPersistent(options: BenchOptions): Promise<void> {
  const { rounds } = options
  const measured = await measurePersistent({
    folders: options.folders,
    orders: options.orders,
    runs: rounds,
  })
  say(persistentTable(measured))
  await write(measured, options)
}

async function benchPeers(options: BenchOptions): Promise<void> {
  const { rounds } = options
  await installPeers()
  const measured = await measurePeers(rounds)
  say(peersTable(measured))
  await write({ rounds, peers: measured }, options)
}

async function benchAssessment(options: BenchOptions): Promise<void> {
  const { rounds } = options
  if (!options.alone) await installPeers()
  const { profile, contenders: ours } = await openOurs(benchFolder, !options.alone)
  const contenders = [...ours, ...(options.alone ? [] : await openPeers())]
  const photos: Measured[] = []
  for (const { name, bytes } of await benchPhotos()) {
    const rows = await measurePhoto(contenders, name, bytes, rounds)
    process.stdout.write(
      `\n${name}, profile ${profile}, median of ${rounds}${photoAim(name)}; × is the time relative to ours\n${photoTable(rows)}\n`,
    )
    photos.push(...rows)
  }
  const throughput = await measureThroughput()
  process.stdout.write(`\n${throughputLine(throughput)}\n`)
  await write({ profile, rounds, photos, throughput }, options)
}

function requireFfmpeg(): void {
  if (!hasFfmpeg)
    throw new Error(
      'The clips are made by ffmpeg, which is not installed: apt-get install ffmpeg (Debian, Ubuntu) or brew install ffmpeg (macOS)',
    )
}

async function benchVideo(options: BenchOptions): Promise<void> {
  const { rounds } = options
  requireFfmpeg()
  const measured = await measureVideo(benchFolder, rounds, options.alone)
  say(videoText(measured))
  await write(measured, options)
}

async function benchMemory(options: BenchOptions): Promise<void> {
  requireFfmpeg()
  const measured = await measureMemory()
  say(memoryText(measured))
  await write(measured, options)
}

async function benchMixed(options: BenchOptions): Promise<void> {
  requireFfmpeg()
  const measured = await measureMixed(options.seconds)
  say(mixedText(measured))
  await write(measured, options)
}

async function benchStatistics(options: BenchOptions): Promise<void> {
  const { rounds } = options
  const measured = await measureStatistics(options.analyses, rounds)
  say(statisticsText(measured))
  await write(measured, options)
}

async function benchStart(options: BenchOptions): Promise<void> {
  const { rounds } = options
  const measured = await measureStart(rounds)
  say(startText(measured))
  await write(measured, options)
}

async function benchSearch(options: BenchOptions): Promise<void> {
  if (!options.alone) await installPeers()
  const measured = await measureSearch({
    benchFolder,
    sizes: options.sizes,
    searches: options.searches,
    peersMax: options.alone ? 0 : options.peersMax,
  })
  say(searchText(measured))
  await write(measured, options)
}

async function benchRuntimes(options: BenchOptions): Promise<void> {
  const runtimes = await measureRuntimes({ starts: 3, checks: 2 * options.rounds })
  say(runtimesText(runtimes))
  const isolate = await measureIsolate()
  say(isolateText(isolate))
  const scale = await measureScale({ orders: options.orders, share: options.percent / 100 })
  say(scaleText(scale))
  await write({ runtimes, isolate, ...scale }, options)
}

const benches: Record<string, (options: BenchOptions) => Promise<void>> = {
  memory: benchMemory,
  mixed: benchMixed,
  peers: benchPeers,
  persistent: benchPersistent,
  runtimes: benchRuntimes,
  search: benchSearch,
  start: benchStart,
  statistics: benchStatistics,
  video: benchVideo,
}

function readBenchOptions(args: string[]): { bench: string | undefined; options: BenchOptions } {
  const { values, positionals } = readArguments(args, {
    runs: { type: 'string', default: '20' },
    json: { type: 'string', default: 'bench.json' },
    folders: { type: 'string', default: '100000' },
    orders: { type: 'string', default: '60' },
    percent: { type: 'string', default: '100' },
    analyses: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '120' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    searches: { type: 'string', default: '200' },
    peersMax: { type: 'string', default: '100000' },
    alone: { type: 'boolean', default: false },
  })
  const [bench, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`Name one bench: ${rest[0]} is too much`)
  if (bench !== undefined && !(bench in benches))
    throw new UsageError(describeUnknown('bench', bench, Object.keys(benches)))
  const options = {
    rounds: readCount('runs', values.runs),
    json: values.json,
    folders: readCount('folders', values.folders),
    orders: readCount('orders', values.orders),
    percent: readCount('percent', values.percent, { max: 100 }),
    analyses: readCount('analyses', values.analyses),
    seconds: readCount('seconds', values.seconds),
    sizes: values.sizes.split(',').map((size) => readCount('sizes', size)),
    searches: readCount('searches', values.searches),
    peersMax: readCount('peersMax', values.peersMax, { min: 0 }),
    alone: values.alone,
  }
  return { bench, options }
}

export const benchCommand: Command = {
  name: 'bench',
  summary: 'Measure speed and memory',
  usage: `usage: npm run bench [-- BENCH] [--runs N] [--json FILE] [--alone]

Without a name: our assessment of a photo in WebAssembly, the same on the native ONNX runtime, also with sharp, face-api and human,
alternately on the same photos, so that fluctuations of the machine affect all equally; then the throughput of a server with two workers
and two callers.

  peers        start, memory, first and later answers of each contender in a process of its own
  start        how long a server takes to listen
  runtimes     the server on each installed runtime; one to three replicas on a libSQL server, and one that is 0, 20 and 50 ms
               away from it                         [--orders N] [--percent N]
  memory       the highest of a server on each installed runtime: photos, large photos, clips
  persistent   the service with stored folders      [--folders N] [--orders N]
  statistics   statistics of many stored analyses   [--analyses N]
  search       1:N search in collections            [--sizes N,N] [--searches N] [--peersMax N]
  mixed        memory under mixed work: photos, clips, documents, damaged files, and after a rest   [--seconds N]
  video        clips, by codec; their throughput, and the memory of workers

  --runs N     rounds (default: 20)
  --percent N  processor time of each replica in percent of a core, by control groups of Linux (default: 100, no limit)
  --json FILE  for the results (default: bench.json)
  --alone      skip the peers, which then need not be installed, and for clips all codecs except H.264

Peers are installed by "npm ci --prefix tools/bench".

Exit code: 0 done, 1 failed, 64 wrong usage.
`,
  async run(args) {
    const { bench, options } = readBenchOptions(args)
    await (bench === undefined ? benchAssessment : benches[bench]!)(options)
    return 0
  },
}
