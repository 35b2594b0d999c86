/**
 * `npm run soak -- hostile [--sample] [--only many-keys]`: attacks on a server of its own, one after the other, while an honest caller measures
 * how long it waits. One line for each; about four minutes, a sample two. Those that exceed a time limit run again on another server.
 */
import { availableParallelism, loadavg } from 'node:os'
import { pause } from '../../../src/queue/timers.ts'
import { portrait } from '../../../test/fixtures/portraits.ts'
import { quantile } from '../../bench/quantiles.ts'
import { residentMegabytes } from '../resources.ts'
import { type Account, Service } from '../service.ts'
import { archiveBombs } from './archive-bombs.ts'
import { largeBodies, largeBodiesAlone } from './bodies.ts'
import { call, form } from './call.ts'
import { disconnects } from './disconnects.ts'
import { filesOfHeaders } from './endless-headers.ts'
import { expensiveMediaOfMany } from './expensive-media.ts'
import { hardForms } from './forms.ts'
import { greedyCallers } from './greedy-callers.ts'
import { crowdedMaxMs, crowdLoopHeldMaxMs, honestMaxMs, loopHeldMaxMs } from './limits.ts'
import { loopHeldMs, loopWatch } from './loop-held.ts'
import { manyKeysInJson } from './many-keys.ts'
import { manySignIns } from './many-sign-ins.ts'
import { listsOfMetadata } from './metadata-lists.ts'
import { refusedUploads } from './refused-uploads.ts'
import type { Honest, Scenario, Tools } from './scenario.ts'
import { silentWebhooks } from './silent-webhooks.ts'

const scenarios = {
  disconnects,
  'many-keys': manyKeysInJson,
  'metadata-lists': listsOfMetadata,
  'hard-forms': hardForms,
  'archive-bombs': archiveBombs,
  'endless-headers': filesOfHeaders,
  'expensive-media': expensiveMediaOfMany,
  'greedy-callers': greedyCallers,
  'many-sign-ins': manySignIns,
  'silent-webhooks': silentWebhooks,
  'refused-uploads': refusedUploads,
  'large-bodies-alone': largeBodiesAlone,
  'large-bodies': largeBodies,
} satisfies Record<string, Scenario>

type ScenarioName = keyof typeof scenarios
export const scenarioNames = Object.keys(scenarios) as ScenarioName[]

/** Those of dozens of callers at once, of several of the largest bodies, or of four bombs, of which one alone holds the loop for 37 ms on a busy machine. */
const crowds: ReadonlySet<ScenarioName> = new Set<ScenarioName>([
  'archive-bombs',
  'disconnects',
  'hard-forms',
  'endless-headers',
  'greedy-callers',
  'many-sign-ins',
  'refused-uploads',
  'large-bodies',
])

/** Pause between two requests of the honest caller. */
const pauseMs = 300
const quietCalls = 12
/** An attack that exceeds its time limits this many times in turn, each time on a new server, has succeeded. */
const lateTriesMax = 3

async function honestWhile(send: () => Promise<boolean>, attack: () => Promise<unknown>): Promise<Honest> {
  const times: number[] = []
  let refused = 0
  let isOver = false
  const calling = async (): Promise<void> => {
    do {
      await pause(pauseMs)
      const begunMs = performance.now()
      if (!(await send())) refused++
      times.push(performance.now() - begunMs)
    } while (!isOver)
  }
  const called = calling()
  try {
    await attack()
  } finally {
    isOver = true
    await called
  }
  return {
    calls: times.length,
    refused,
    medianMs: Math.round(quantile(times, 0.5)),
    worstMs: Math.round(Math.max(...times)),
  }
}

async function openTools(service: Service, admin: Account, isSample: boolean): Promise<Tools> {
  const { url } = service.server
  const companyId = await service.createCompany(admin, 'honest')
  const { token } = await service.createUser(admin, companyId, 'CLIENT')
  const { body, headers } = form({ photo: await portrait('redhead') }, '{"analyses": [{"type": "quality"}]}')
  const sendPhoto = async () => {
    const tokenHeader = { 'X-Forensic-Access-Token': token }
    return (
      (await call(url, { path: '/api/folders/', body, headers: { ...headers, ...tokenHeader } })).status ===
      201
    )
  }
  for (let i = 0; i < 3; i++) await sendPhoto()
  const times: number[] = []
  for (let i = 0; i < quietCalls; i++) {
    await pause(pauseMs)
    const begunMs = performance.now()
    await sendPhoto()
    times.push(performance.now() - begunMs)
  }
  const quietMs = Math.round(quantile(times, 0.5))
  const loadPerProcessor = loadavg()[0]! / availableParallelism()
  return {
    service,
    admin,
    isSample,
    quietMs,
    loadPerProcessor,
    memoryMegabytes: () => residentMegabytes(service.server.process.pid!),
    whileHonest: (attack, send = sendPhoto) => honestWhile(send, attack),
    isServedInTime: ({ medianMs }) => medianMs <= honestMaxMs(quietMs, loadPerProcessor),
    isServedInTimeBesideCrowd: ({ medianMs }) => medianMs <= crowdedMaxMs(quietMs, loadPerProcessor),
  }
}

/**
 * Runs attacks on a server of its own.
 * @returns what was not as it must be, and the attacks that exceeded nothing but a time limit
 */
async function attack(
  names: readonly ScenarioName[],
  isSample: boolean,
  say: (text: string) => void,
): Promise<{ faults: string[]; late: ScenarioName[] }> {
  const service = await Service.prepare({
    SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
    SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
    ...loopWatch,
  })
  const faults: string[] = []
  const late: ScenarioName[] = []
  await service.start()
  try {
    const tools = await openTools(service, await service.signIn(), isSample)
    const load = loadavg()[0]!.toFixed(1)
    say(`quiet: an honest photo takes ${tools.quietMs} ms; load of the machine ${load}`)
    for (const scenario of names) {
      const begunMs = performance.now()
      await loopHeldMs(service.server)
      const { name, isHeld, isInTime, facts } = await scenarios[scenario](service.server.url, tools)
      const heldMs = await loopHeldMs(service.server)
      const heldMaxMs = crowds.has(scenario) ? crowdLoopHeldMaxMs : loopHeldMaxMs
      const isLate = !isInTime || (heldMs ?? 0) > heldMaxMs
      const seconds = ((performance.now() - begunMs) / 1000).toFixed(0)
      const result = !isHeld ? 'failed' : isLate ? 'late  ' : 'passed'
      say(`${result}  ${name} (${seconds} s, loop held ${heldMs ?? '?'} ms): ${JSON.stringify(facts)}`)
      if (!isHeld) faults.push(name)
      else if (isLate) late.push(scenario)
    }
    if (service.server.lines().some((line) => line.includes('"level":"error"')))
      faults.push('errors in the log')
  } finally {
    await service.stop()
    await service.remove()
  }
  return { faults, late }
}

/**
 * @param only one of `scenarioNames`; all when empty
 * @returns what was not as it must be
 */
export async function attacksPart(
  isSample: boolean,
  only: string,
  say: (text: string) => void,
): Promise<string[]> {
  const faults: string[] = []
  let names = scenarioNames.filter((name) => only === '' || name === only)
  for (let tries = 1; names.length > 0; tries++) {
    const { faults: found, late } = await attack(names, isSample, say)
    faults.push(...found)
    if (tries === lateTriesMax) return [...faults, ...late.map((name) => `${name} takes too long`)]
    names = late
  }
  return faults
}
