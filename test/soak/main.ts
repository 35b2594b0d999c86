/**
 * `npm run soak -- [--checks 4000] [--broken 600] [--clips 30] [--callers 4] [--kills 20]`: hours in minutes.
 *
 * First every hostile file at every door: an answer below 500 within two seconds (clips: twenty), and good requests in between. Then
 * thousands of checks while the server's memory is watched, then clips, good and bad, 500 of them for the whole. Then a server that is killed under load and must lose nothing;
 * `--kills` alone does only that; `hostile` attacks a server while an honest caller measures its wait, `hostile --sample` for a minute; `container` sends damaged
 * containers, `container --sample` for some seconds.
 * Ends with 1 when a promise is broken. `RUNTIME` names the runtime as in the HTTP tests.
 */
import { parseArgs } from 'node:util'
import { manLarge, manSmall } from '../fixtures/packages.ts'
import { portrait } from '../fixtures/portraits.ts'
import { type TestServer, testedRuntime } from '../fixtures/server.ts'
import { clipsPart } from './clips.ts'
import { containersPart } from './containers.ts'
import { doors } from './doors.ts'
import { attacksPart } from './hostile/run.ts'
import { hostileFiles } from './hostile-files.ts'
import { killPart } from './kill.ts'
import { growth, residentMegabytes } from './memory.ts'
import { Service } from './service.ts'

/** Against answers that hang: the machine may have other work. The slowest one is printed. */
const answerMsMax = 10_000
/** Some files that break other readers are good clips. */
const clipAnswerMsMax = 20_000
const growthMax = 0.1
const memorySamples = 40

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    checks: { type: 'string' },
    broken: { type: 'string' },
    clips: { type: 'string' },
    callers: { type: 'string', default: '4' },
    kills: { type: 'string' },
  },
})
const isKillsOnly =
  values.kills !== undefined &&
  [values.checks, values.broken, values.clips].every((value) => value === undefined)
const checks = Number(values.checks ?? 4000)
const broken = Number(values.broken ?? 600)
const clips = Number(values.clips ?? 30)
const kills = Number(values.kills ?? 20)
const callers = Number(values.callers)

const faults: string[] = []
const say = (text: string): void => void process.stdout.write(`${text}\n`)

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

const good = await portrait('redhead')
const allDoors = Object.entries(doors(good))

async function mustBeFine(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/face/liveness/detect`, {
    method: 'POST',
    body: new Uint8Array(good),
    headers: { 'Content-Type': 'image/jpeg' },
  })
  const { passed } = (await response.json()) as { passed?: boolean }
  if (response.status !== 200 || passed !== true) faults.push(`a good photo was answered ${response.status}`)
}

async function hostilePart({ url }: TestServer): Promise<void> {
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
      await mustBeFine(url)
      say(`file ${index} of ${files.length}`)
    }
  })
  const counts = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  say(`answers: ${counts.join(', ')}; slowest ${slowestMs.toFixed(0)} ms`)
}

async function longPart({ url, process: server }: TestServer): Promise<void> {
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

async function clipPart(server: TestServer): Promise<void> {
  const { instant, detect } = doors(good)
  faults.push(...(await clipsPart(server, clips, [instant!, detect!], say)))
  await mustBeFine(server.url)
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

async function doorsPart(): Promise<void> {
  const service = await Service.prepare({ SVC_AUTHORIZE_DISABLED_STATELESS: 'true', ASSESS_WORKERS: '2' })
  await service.start()
  try {
    await hostilePart(service.server)
    await longPart(service.server)
    // No decoder of clips fits into an isolate yet.
    if (testedRuntime !== 'workers') await clipPart(service.server)
    await healthPart(service.server)
  } finally {
    const code = await service.stop()
    if (testedRuntime !== 'workers' && code !== 0) faults.push(`the server ended with ${code}`)
    await service.remove()
  }
}

const isHostile = positionals.includes('hostile')
const isContainer = positionals.includes('container')
if (isContainer) faults.push(...(await containersPart(values.sample, say)))
else if (isHostile) faults.push(...(await attacksPart(values.sample, values.only, say)))
else if (!isKillsOnly) await doorsPart()
// An isolate stores nothing.
if (testedRuntime !== 'workers' && !isHostile && !isContainer) faults.push(...(await killPart(kills, say)))
for (const fault of faults.slice(0, 50)) say(`FAULT ${fault}`)
say(faults.length === 0 ? 'soak: all promises kept' : `soak: ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
