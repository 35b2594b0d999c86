/** The start of the Node, Bun and Deno servers: settings, platform, app, and a graceful shutdown. */
import { createApp } from '../app.ts'
import { measurePlatform } from '../compose/measured-platform.ts'
import { openServices } from '../compose/open-services.ts'
import type { Services } from '../compose/services.ts'
import { tracePlatform } from '../compose/traced-platform.ts'
import { AppError } from '../errors.ts'
import { idleCollector } from '../platform/idle-collector.ts'
import type { Platform } from '../platform/platform.ts'
import { openServerPlatform } from '../platform/servers.ts'
import { publicBase, readSettings, type Settings } from '../settings.ts'
import { describeListenFailure } from './listen-failure.ts'
import { warnOfLowAssurance } from './low-assurance.ts'
import { warnOfSandbox } from './sandbox.ts'
import { warnOfUnknownSettings } from './unknown-settings.ts'
import { warnOfLinks } from './unreachable-links.ts'

/** A listening server. */
interface Listener {
  port: number
  /** Where it is not the one of the settings. */
  host?: string
  /** Stops accepting connections and resolves once the open requests are answered. */
  stop(): Promise<void>
}

/** @param clientAddress network address of the peer */
type Fetch = (request: Request, clientAddress: string | undefined) => Response | Promise<Response>

type Listen = (fetch: Fetch, settings: Settings) => Promise<Listener>

/** The address of the try page, as a browser on this machine reaches it. */
export function tryPageAddress(
  { host, publicUrl }: Pick<Settings, 'host' | 'publicUrl'>,
  port: number,
): string {
  return `${publicBase({ publicUrl, host, port })}/`
}

async function announce(platform: Platform, settings: Settings, port: number): Promise<void> {
  const { log, models, runtime } = platform
  warnOfLowAssurance(platform)
  warnOfSandbox(platform, settings)
  const address = `http://${settings.host}:${port}`
  const page = (await platform.browserFiles()).size > 0 ? tryPageAddress(settings, port) : null
  log('info', 'listening', { address, runtime, profile: models.profileName, ...(page ? { page } : {}) })
  if (page && process.stderr.isTTY) process.stderr.write(`\nOpen ${page} in a browser to try it.\n\n`)
}

const endSignals = ['SIGINT', 'SIGTERM'] as const

/** The part of the process that receives signals. */
interface SignalReceiver {
  on(signal: NodeJS.Signals, listener: () => void): unknown
}

/**
 * Listens to the signals that end a server, first while it starts: without a listener the first process of a container would
 * not end, since the system ignores its signals. The listeners stay, as a signal that arrives while one replaces another is
 * lost.
 * @param whileStarting what a signal does until another action is set
 * @returns sets another action
 */
export function receiveSignals(
  receiver: SignalReceiver,
  whileStarting: (signal: NodeJS.Signals) => void,
): (action: (signal: NodeJS.Signals) => void) => void {
  let act = whileStarting
  for (const signal of endSignals) receiver.on(signal, () => act(signal))
  return (action) => {
    act = action
  }
}

interface Ending {
  services: Pick<Services, 'beginStop' | 'stop'>
  listener: Pick<Listener, 'stop'>
  assessor: Pick<Platform['assessor'], 'close'>
}

/**
 * Ends a server in order: no background work begins any more; after a delay, in which load balancers read `/readyz`, no connections are
 * accepted; what has begun is finished.
 */
export async function endInOrder(
  { services, listener, assessor }: Ending,
  delayMs: number,
  wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<void> {
  services.beginStop()
  if (delayMs > 0) await wait(delayMs)
  await listener.stop()
  await services.stop()
  await assessor.close()
}

/** What ends a listening server; signals after the first one change nothing. */
function prepareEnd(
  platform: Platform,
  services: Services,
  listener: Listener,
  { shutdownDelayS, shutdownMaxS }: Settings,
): (signal: NodeJS.Signals) => void {
  let ending = false
  const end = async (signal: string): Promise<void> => {
    if (ending) return
    ending = true
    platform.log('info', 'ending', { signal })
    const maxMs = (shutdownDelayS + shutdownMaxS) * 1000
    setTimeout(() => {
      const message = `work that did not end within ${shutdownMaxS} s (SHUTDOWN_TIMEOUT) is left to the next start`
      platform.log('error', 'ending', { message })
      process.exit(1)
    }, maxMs).unref()
    await endInOrder({ services, listener, assessor: platform.assessor }, shutdownDelayS * 1000)
    process.exit(0)
  }
  return (signal) => void end(signal)
}

async function listenOrExplain(listen: Listen, fetch: Fetch, settings: Settings): Promise<Listener> {
  try {
    return await listen(fetch, settings)
  } catch (cause) {
    throw new Error(describeListenFailure(settings, cause), { cause })
  }
}

const usage = `usage: npm start

Starts the server. Settings are environment variables (docs/settings.md); there are no arguments. All commands: npx vivace --help

Exit code: 0 ended by a signal, 1 could not start, or did not end in time, 64 wrong usage.
`

/** What a server says of arguments, which it does not have, and its exit code; `null` if there are none. */
export function describeArguments(args: readonly string[]): { code: number; text: string } | null {
  const [first] = args
  if (first === undefined) return null
  const isHelp = args.includes('--help') || args.includes('-h')
  return isHelp ? { code: 0, text: usage } : { code: 64, text: `There is no argument ${first}\n\n${usage}` }
}

async function start(runtime: 'node' | 'bun' | 'deno', listen: Listen): Promise<void> {
  // Its reader may go: a server ends for no lost line.
  process.stderr.on('error', () => {})
  const settings = readSettings(process.env)
  const onSignal = receiveSignals(process, () => process.exit(0))
  const measured = measurePlatform(await openServerPlatform(runtime, settings), settings)
  const platform = tracePlatform(measured)
  const services = await openServices(platform, settings)
  const app = createApp(platform, settings, services)
  const collector = idleCollector()
  const fetch: Fetch = async (request, clientAddress) => {
    collector.begin()
    try {
      return await app.fetch(request, { clientAddress })
    } finally {
      collector.end()
    }
  }
  // The router takes its routes apart when it looks for one the first time.
  app.router.match('GET', '/')
  const listener = await listenOrExplain(listen, fetch, settings)
  onSignal(prepareEnd(platform, services, listener, settings))
  services.start()
  warnOfUnknownSettings(platform, process.env)
  warnOfLinks(platform, settings)
  await announce(platform, { ...settings, host: listener.host ?? settings.host }, listener.port)
}

/** Starts a server. If that fails, writes one line with the reason to standard error and exits with 1. */
export async function startServer(runtime: 'node' | 'bun' | 'deno', listen: Listen): Promise<void> {
  // Deno Deploy starts it in ways of its own.
  const refusal = runtime === 'deno' ? null : describeArguments(process.argv.slice(2))
  if (refusal) {
    process[refusal.code === 0 ? 'stdout' : 'stderr'].write(refusal.text)
    process.exit(refusal.code)
  }
  try {
    await start(runtime, listen)
  } catch (error) {
    const text = error instanceof AppError || error instanceof Error ? error.message : String(error)
    process.stderr.write(`${text}\n`)
    process.exit(1)
  }
}
