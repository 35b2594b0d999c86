/** `npm run soak`: hours in minutes. */
import {
  type Command,
  describeUnknown,
  exitCodes,
  readArguments,
  readCount,
  say,
  UsageError,
} from '../../scripts/cli/command.ts'
import { manLarge, manSmall } from '../../test/fixtures/packages.ts'
import { portrait } from '../../test/fixtures/portraits.ts'
import { type TestServer, testedRuntime } from '../../test/fixtures/server.ts'
import { clipsPart } from './clips.ts'
import { containersPart } from './containers.ts'
import { doors } from './doors.ts'
import { attacksPart, scenarioNames } from './hostile/run.ts'
import { hostileFiles } from './hostile-files.ts'
import { jpegPart } from './jpeg.ts'
import { killPart } from './kill.ts'
import { replicasPart } from './kill-replicas.ts'
import { growth, residentMegabytes } from './resources.ts'
import { Service } from './service.ts'

/** Against answers that hang: the machine may have other work. The slowest one is printed. */
const answerMsMax = 10_000
/** Some files that break other readers are good clips. */
const clipAnswerMsMax = 20_000
const growthMax = 0.1
const memorySamples = 40

interface Counts {
  checks: number
  broken: number
  clips: number
  callers: number
  kills: number
}

/** Broken promises. */
const faults: string[] = []

/** Processes items with the given number of callers. */
async function inParallel<T>(
  items: readonly T[],
  count: number,
  work: (item: T, index: number) => Promise<void>,
) {
  let next = 0
  const caller = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index]!, index)
  }
  await Promise.all(Array.from({ length: count }, caller))
}

async function mustBeFine(url: string, good: Uint8Array): Promise<void> {
  const response = await fetch(`${url}/v1/face/liveness/detect`, {
    method: 'POST',
    body: new Uint8Array(good),
    headers: { 'Content-Type': 'image/jpeg' },
  })
  const { passed } = (await response.json()) as { passed?: boolean }
  if (response.status !== 200 || passed !== true) faults.push(`a good photo was answered ${response.status}`)
}

async function hostilePart({ url }: TestServer, good: Uint8Array, broken: number): Promise<void> {
  const allDoors = Object.entries(doors(good))
  const files = await hostileFiles(broken)
  say(`${files.length} hostile files at ${allDoors.length} doors`)
  const answers = new Map<number, number>()
  let slowestMs = 0
  await inParallel(files, 2, async ({ name, bytes }, index) => {
    for (const [door, send] of allDoors) {
      const start = performance.now()
      const { status } = await send(url, bytes).then(async (response) => {
        await response.arrayBuffer()
        return response
      })
      const ms = performance.now() - start
      slowestMs = Math.max(slowestMs, ms)
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status >= 500) faults.push(`${name} at ${door}: ${status}`)
      const limitMs = name.startsWith('video') ? clipAnswerMsMax : answerMsMax
      if (ms > limitMs) faults.push(`${name} at ${door}: ${ms.toFixed(0)} ms`)
    }
    if (index % 20 === 0) {
      await mustBeFine(url, good)
      say(`file ${index} of ${files.length}`)
    }
  })
  const counts = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  say(`answers: ${counts.join(', ')}; slowest ${slowestMs.toFixed(0)} ms`)
}

async function longPart(
  { url, process: server }: TestServer,
  good: Uint8Array,
  { checks, callers }: Counts,
): Promise<void> {
  const allDoors = Object.entries(doors(good))
  const photos = [good, await manLarge(), await manSmall(), await portrait('brunette')]
  const memory: number[] = []
  const every = Math.max(1, Math.floor(checks / memorySamples))
  const start = performance.now()
  await inParallel(Array.from({ length: checks }), callers, async (_, index) => {
    const [door, send] = allDoors[index % 6]!
    const { status } = await send(url, photos[index % photos.length]!).then(async (response) => {
      await response.arrayBuffer()
      return response
    })
    if (status !== 200) faults.push(`check ${index} at ${door}: ${status}`)
    if (index % every !== 0) return
    memory.push(await residentMegabytes(server.pid!))
    say(`check ${index} of ${checks}: ${memory.at(-1)!.toFixed(0)} MB`)
  })
  const seconds = (performance.now() - start) / 1000
  const grown = growth(memory)
  say(`${checks} checks in ${seconds.toFixed(0)} s; memory grew by ${(grown * 100).toFixed(1)} %`)
  if (grown > growthMax) faults.push(`memory grew by ${(grown * 100).toFixed(1)} %`)
}

async function clipPart(server: TestServer, good: Uint8Array, clips: number): Promise<void> {
  const { instant, detect } = doors(good)
  faults.push(...(await clipsPart(server, clips, [instant!, detect!], say)))
  await mustBeFine(server.url, good)
}

async function healthPart({ url, lines }: TestServer): Promise<void> {
  const health = (await (await fetch(`${url}/api/healthcheck/`)).json()) as {
    status: string
    components: { assessor: { replaced: number; waiting: number } }
  }
  const { replaced, waiting } = health.components.assessor
  if (health.status !== 'ok' || replaced !== 0 || waiting !== 0)
    faults.push(`health: ${health.status}, ${replaced} workers replaced, ${waiting} waiting`)
  if (lines().some((line) => line.includes('"level":"error"'))) faults.push('errors in the log')
}

async function doorsPart(counts: Counts): Promise<void> {
  const good = await portrait('redhead')
  const service = await Service.prepare({ SVC_AUTHORIZE_DISABLED_STATELESS: 'true', ASSESS_WORKERS: '2' })
  await service.start()
  try {
    await hostilePart(service.server, good, counts.broken)
    await longPart(service.server, good, counts)
    // No decoder of clips fits into an isolate yet.
    if (testedRuntime !== 'workers') await clipPart(service.server, good, counts.clips)
    await healthPart(service.server)
  } finally {
    const code = await service.stop()
    if (testedRuntime !== 'workers' && code !== 0) faults.push(`the server ended with ${code}`)
    await service.remove()
  }
}

/** Parts that run alone. */
const parts = ['hostile', 'container', 'jpeg', 'replicas'] as const

async function soak(
  part: string | undefined,
  counts: Counts,
  isKillsOnly: boolean,
  sample: boolean,
  only: string,
) {
  if (part === 'container') faults.push(...(await containersPart(sample, say)))
  else if (part === 'jpeg') faults.push(...(await jpegPart(sample, say)))
  else if (part === 'replicas')
    faults.push(...(await replicasPart({ kills: counts.kills, analyses: counts.checks }, say)))
  else if (part === 'hostile') faults.push(...(await attacksPart(sample, only, say)))
  else if (!isKillsOnly) await doorsPart(counts)
  // An isolate stores nothing.
  if (testedRuntime !== 'workers' && part === undefined) faults.push(...(await killPart(counts.kills, say)))
  for (const fault of faults.slice(0, 50)) say(`FAULT ${fault}`)
  say(faults.length === 0 ? 'soak: all promises kept' : `soak: ${faults.length} faults`)
}

export const soakCommand: Command = {
  name: 'soak',
  summary: 'Hours of use and abuse in minutes',
  usage: `usage: npm run soak [-- --checks N] [--broken N] [--clips N] [--callers N] [--kills N]
       npm run soak -- (hostile [--only ATTACK] | container | jpeg) [--sample]
       npm run soak -- replicas [--kills N] [--checks N]

First every hostile file at every door: an answer below 500 in time, and good requests in between. Then thousands of checks while the
server's memory is watched, then clips, good and bad. Then a server that is killed under load and must lose nothing. RUNTIME names the
runtime: node (default), bun, deno, workers.

  --checks N    good requests (default: 4000)
  --broken N    hostile files (default: 600)
  --clips N     clips (default: 30); 500 for the whole
  --callers N   at the same time (default: 4)
  --kills N     ends of the server (default: 20); alone it does only that

  hostile       attacks a server while an honest caller measures its wait; --only runs one of them
  container     sends damaged containers
  jpeg          reads damaged JPEG files and compares with another decoder
  replicas      kills replicas of three, which share a database server and a bucket, until there are as many analyses as --checks
  --sample      a short run of these

Exit code: 0 all promises kept, 1 a promise is broken, 64 wrong usage.
`,
  async run(args) {
    const { values, positionals } = readArguments(args, {
      sample: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      checks: { type: 'string' },
      broken: { type: 'string' },
      clips: { type: 'string' },
      callers: { type: 'string', default: '4' },
      kills: { type: 'string' },
    })
    const [part, ...rest] = positionals
    if (rest.length > 0) throw new UsageError(`Name one part: ${rest[0]} is too much`)
    if (values.only !== '' && !(scenarioNames as readonly string[]).includes(values.only))
      throw new UsageError(describeUnknown('attack', values.only, scenarioNames))
    if (part !== undefined && !(parts as readonly string[]).includes(part))
      throw new UsageError(describeUnknown('part', part, parts))
    const isKillsOnly =
      values.kills !== undefined &&
      [values.checks, values.broken, values.clips].every((value) => value === undefined)
    const counts: Counts = {
      checks: readCount('checks', values.checks ?? '4000', { min: 0 }),
      broken: readCount('broken', values.broken ?? '600', { min: 0 }),
      clips: readCount('clips', values.clips ?? '30', { min: 0 }),
      callers: readCount('callers', values.callers),
      kills: readCount('kills', values.kills ?? '20', { min: 0 }),
    }
    await soak(part, counts, isKillsOnly, values.sample, values.only)
    return faults.length === 0 ? exitCodes.done : exitCodes.failed
  },
}
