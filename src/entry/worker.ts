import { type App, createApp } from '../app.ts'
import { measurePlatform } from '../compose/measured-platform.ts'
import { openServices } from '../compose/open-services.ts'
import type { Services } from '../compose/services.ts'
import { tracePlatform } from '../compose/traced-platform.ts'
import { errorAnswer, retryAfterSeconds } from '../contract/error-table.ts'
import { spacedJson } from '../contract/spaced-json.ts'
import { AppError } from '../errors.ts'
import { OpenedOnce } from '../platform/opened-once.ts'
import { openWorkersPlatform, type WorkersBindings } from '../platform/workers.ts'
import { type Invocation, type Queue, WorkersBackground } from '../platform/workers-background.ts'
import { readSettings } from '../settings.ts'
import { warnOfLowAssurance } from './low-assurance.ts'
import { warnOfSandbox } from './sandbox.ts'
import { warnOfUnknownSettings } from './unknown-settings.ts'
import { warnOfLinks } from './unreachable-links.ts'

/** Settings as string variables, and what is bound to the deployment. */
interface Bindings extends WorkersBindings {
  /** Queue whose messages ask for background work; without one it follows the answers. */
  WORK?: Queue
  [variable: string]: unknown
}

interface Opened {
  app: App
  services: Services
  background: WorkersBackground
}

/**
 * Milliseconds in which a batch of the queue, or a tick of the clock, begins background work. Unless `limits.cpu_ms` says otherwise, a call
 * is ended after 30 s of processor time, which is most of the time of an analysis.
 */
const drainMaxMs = 15_000

/** Milliseconds after which a start counts as lost together with the request that began it. */
const openMaxMs = 60_000

const opened = new OpenedOnce<Opened>(openMaxMs, () => Date.now())

async function open(bindings: Bindings): Promise<Opened> {
  const texts = Object.entries(bindings).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const environment = Object.fromEntries(texts)
  const settings = readSettings(environment)
  const background = new WorkersBackground(bindings.WORK ?? null, () => Date.now())
  const measured = measurePlatform(await openWorkersPlatform(bindings, settings, background), settings)
  const platform = tracePlatform(measured)
  const services = await openServices(platform, settings)
  background.use((isTimeUp) => services.drain(isTimeUp))
  warnOfUnknownSettings(platform, environment)
  warnOfLinks(platform, settings)
  warnOfLowAssurance(platform)
  warnOfSandbox(platform, settings)
  return { app: createApp(platform, settings, services), services, background }
}

/** The service of this isolate. Others wait for the request that opens it, so it is kept alive. */
const getOpened = (bindings: Bindings, { waitUntil }: Invocation): Promise<Opened> =>
  opened.get(() => open(bindings), waitUntil)

/** The cause is for the operator alone. Messages of settings and databases contain no values. */
function logFailedStart(error: unknown): void {
  const cause = error instanceof AppError ? error.message : String(error)
  // biome-ignore lint/suspicious/noConsole: the console is the log of a Worker
  console.error(JSON.stringify({ level: 'error', event: 'start failed', cause }))
}

function refuse(): Response {
  const { status, body } = errorAnswer(new AppError('overloaded'))
  const headers = {
    'Content-Type': 'application/json; charset=utf8',
    'Retry-After': String(retryAfterSeconds),
  }
  return new Response(spacedJson(body), { status, headers })
}

/** Runs work in the background of an invocation. A failed start leaves it to the next one. */
async function runBackground(
  bindings: Bindings,
  invocation: Invocation,
  work: (services: Opened) => Promise<void>,
): Promise<void> {
  let service: Opened
  try {
    service = await getOpened(bindings, invocation)
  } catch (error) {
    logFailedStart(error)
    throw new Error('start failed')
  }
  await service.background.enter(invocation, () => work(service))
}

export default {
  async fetch(request: Request, bindings: Bindings, context: Invocation): Promise<Response> {
    const invocation: Invocation = { waitUntil: (work) => context.waitUntil(work) }
    let service: Opened
    try {
      service = await getOpened(bindings, invocation)
    } catch (error) {
      logFailedStart(error)
      return refuse()
    }
    const { app, background } = service
    const clientAddress = request.headers.get('CF-Connecting-IP') ?? undefined
    const answer = background.enter(invocation, async () => app.fetch(request, { clientAddress }))
    // Others may wait for what this request does: it goes on when its caller leaves.
    invocation.waitUntil(answer.catch(() => {}))
    return answer
  },

  /** A tick of the clock: clean-up, and work that was left behind. */
  scheduled(_: unknown, bindings: Bindings, context: Invocation): Promise<void> {
    const invocation: Invocation = { waitUntil: (work) => context.waitUntil(work) }
    return runBackground(bindings, invocation, async ({ services, background }) => {
      await background.drainFor(drainMaxMs)
      await services.tidy()
    })
  },

  /** Messages say only that there is work; the database knows which. */
  queue(_: unknown, bindings: Bindings, context: Invocation): Promise<void> {
    const invocation: Invocation = { waitUntil: (work) => context.waitUntil(work) }
    return runBackground(bindings, invocation, ({ background }) => background.drainFor(drainMaxMs))
  },
}
