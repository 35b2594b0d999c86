/** The platform of Node, Bun and Deno: worker threads, files, `node:*` APIs. */
import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import path from 'node:path'
import { AssessorPool } from '../assess/pool.ts'
import { readCohort } from '../decide/cohort.ts'
import { openDistances } from '../gallery/kernel.ts'
import { planNetworks } from '../inference/plan-networks.ts'
import { acceptedTypes } from '../media/accepted-media.ts'
import { lackingFormats } from '../media/formats/registry.ts'
import { clipFormats } from '../media/video/formats/registry.ts'
import { ownFormats, ownKinds } from '../media/video/own/own-kinds.ts'
import type { ProcessUsage } from '../metrics/service-metrics.ts'
import { type Settings, videoLimits, waitMaxMs } from '../settings.ts'
import type { WorkerStart } from './assess-worker.ts'
import type { BrowserFiles } from './browser-files.ts'
import { containerCrypto } from './container-crypto.ts'
import { deliverPassword } from './first-password.ts'
import { keepsOnDisk, readFreeSpace } from './free-space.ts'
import { galleryFiles } from './gallery-files.ts'
import { commandHere, findInstallation, renewalHere } from './installation.ts'
import { lineWriter } from './line-writer.ts'
import { jsonLog, type Log } from './log.ts'
import type { Persistence, Platform } from './platform.ts'
import { makeFolder } from './private-file.ts'
import { openS3 } from './s3.ts'
import { hasLocalMedia, lostDatabase, openServerBlobs } from './server-blobs.ts'
import { readBrowserFiles } from './server-browser-files.ts'
import { openServerDatabase } from './server-database.ts'
import { sharePlans } from './server-engine.ts'
import { lateNetworks, openModels } from './server-models.ts'
import { openResolver } from './server-names.ts'
import { openPdfWriter } from './server-pdf.ts'
import { openServerScrypt } from './server-scrypt.ts'
import { findAnyVideo, type VideoFile } from './server-video.ts'
import {
  compileCodecs,
  compileInferenceKernel,
  compileRegistrationKernel,
  compileSearchKernel,
  lateModules,
} from './server-wasm.ts'
import { postPinned } from './server-webhooks.ts'
import { startThread, startWorker, type WorkerThread } from './worker-thread.ts'

const workersMax = 8
const startTimeoutMs = 60_000
/** Longer than most pauses between two expensive media: a start takes about a second of a core. */
const restMs = 45_000

type Runtime = 'node' | 'bun' | 'deno'

/** The file of the worker: its source if the runtime reads TypeScript, else its bundle next to this one. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './assess-worker.ts' : './assess-worker.mjs',
  import.meta.url,
)

/** Memory for search indexes on any machine: nearly three million templates. Large machines give a quarter of theirs. */
const searchBytesMin = 512 * 2 ** 20

/** The memory limit of the container, else the memory of the machine. */
const memoryBytes = (): number =>
  Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem())

function readUsage(): ProcessUsage {
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    memory: { rss, heap: heapUsed, external, array_buffers: arrayBuffers },
    cpuS: (user + system) / 1e6,
  }
}

/** @throws {AppError} `database_failed` if the database cannot be opened */
async function openPersistence(settings: Settings, log: Log): Promise<Persistence> {
  const { dataDir } = settings
  const database = await openServerDatabase(settings, (line) => log('info', 'database', { message: line }))
  const blobs = openServerBlobs(settings)
  const { folder } = blobs.backup
  if (folder !== null) await makeFolder(dataDir, 0o700)
  if (database.isNew && (await hasLocalMedia(blobs))) log('warn', 'database', { message: lostDatabase })
  const isKeptHere = keepsOnDisk(settings)
  const snapshots = galleryFiles(path.join(dataDir, 'gallery'))
  return {
    database,
    blobs,
    snapshots,
    scryptFor: openServerScrypt(),
    resolveHost: openResolver(),
    post: postPinned,
    writePdf: openPdfWriter(),
    freeSpace: async () => (isKeptHere ? readFreeSpace(dataDir) : null),
  }
}

type Models = Awaited<ReturnType<typeof openModels>>

const countWorkers = ({ assessWorkers }: Settings): number =>
  Number.isNaN(assessWorkers) ? Math.min(workersMax, availableParallelism()) : assessWorkers

/** @param threads that have been started already */
async function openPool(
  settings: Settings,
  models: Models,
  threads: WorkerThread[],
  video: VideoFile | null,
  log: Log,
): Promise<AssessorPool> {
  const { chosen, files, cohort, manifest } = models
  const plans = sharePlans(planNetworks(files))
  const [kernel, registrationKernel, codecs] = await Promise.all([
    compileInferenceKernel(),
    compileRegistrationKernel(),
    compileCodecs(),
  ])
  const start: WorkerStart = {
    kernel,
    plans,
    codecs,
    registrationKernel,
    profileName: chosen.name,
    profile: chosen.profile,
    cohort: { facts: chosen.cohort, bytes: cohort },
    pixelsMax: settings.imageMegapixelsMax * 1e6,
    video,
    videoLimits: videoLimits(settings),
    inputs: chosen.entries.map(({ id, golden }) => [id, golden.shape] as const),
    documents: manifest.documents,
    late: lateNetworks(settings, chosen.documents),
  }
  const pool = new AssessorPool({
    workers: countWorkers(settings),
    waitingMax: settings.assessQueueMax,
    waitMaxMs: waitMaxMs(settings),
    taskTimeoutMs: settings.assessTimeoutS * 1000,
    clipMaxS: settings.videoSecondsMax,
    startTimeoutMs,
    restMs,
    startWorker: (events) => startWorker(threads.pop() ?? startThread(workerFile), start, events),
    onLost: (cause) =>
      log('error', 'worker lost', { cause: cause instanceof Error ? cause.message : String(cause) }),
  })
  await pool.ready()
  return pool
}

/** Node's connections linger; Bun closes a last one with its answer; Deno drops bodies by itself, and lets nobody else. */
const restOfBody = {
  node: 'beside_answer',
  bun: 'before_last_answer',
  deno: 'by_runtime',
} as const satisfies Record<string, Platform['restOfBody']>

const noPages: BrowserFiles = new Map()

/** A service without pages serves its callers all the same. */
async function openPages(log: Log): Promise<BrowserFiles> {
  try {
    return await readBrowserFiles()
  } catch (error) {
    const isCheckout = findInstallation() === 'checkout'
    log('warn', 'no pages', {
      message: `pages are not served (${isCheckout ? `${commandHere('pages')} builds them` : renewalHere()}): ${error instanceof Error ? error.message : error}`,
    })
    return noPages
  }
}

/**
 * Builds missing networks and starts the workers.
 * @param writeLog writes a line of the log; default: to standard output
 * @throws {Error} if the networks of the requested profile are unavailable
 */
export async function openServerPlatform(
  runtime: Runtime,
  settings: Settings,
  writeLog: (line: string) => void = lineWriter(Date.now),
): Promise<Platform> {
  const nowMs = () => Date.now()
  const log = jsonLog(settings.logLevel, nowMs, writeLog)
  // They load their code while the networks are read and planned.
  const threads = Array.from({ length: countWorkers(settings) }, () => startThread(workerFile))
  const models = await openModels(settings, {
    onProgress: (line) => log('info', 'models', { message: line }),
  })
  const { chosen, cohort } = models
  const video = await findAnyVideo(({ message }) => log('warn', 'video decoder', { message }))
  if (!video)
    log('info', 'video decoder', {
      message: `clips are read if they are ${ownKinds}; others need another decoder`,
    })
  // The database opens while the workers load their networks.
  const [searchKernel, assessor, persistence, browserFiles] = await Promise.all([
    compileSearchKernel(),
    openPool(settings, models, threads, video, log),
    settings.components.stateful ? openPersistence(settings, log) : null,
    settings.pagesEnabled ? openPages(log) : noPages,
  ])
  return {
    runtime,
    restOfBody: restOfBody[runtime],
    models: {
      profileName: chosen.name,
      profile: chosen.profile,
      entries: [...chosen.entries, ...chosen.documents],
      documents: models.manifest.documents,
      cohort: readCohort(chosen.cohort, cohort, openDistances(searchKernel)),
    },
    searchKernel,
    runSoon: null,
    defer() {},
    memoryBytes: memoryBytes(),
    searchBytesMax: Math.max(searchBytesMin, memoryBytes() / 4),
    assessor,
    acceptedTypes: acceptedTypes(video ? clipFormats : ownFormats, lackingFormats(lateModules())),
    persistence,
    artifacts: settings.instantArtifacts ? openS3(settings) : null,
    deliverPassword: (password) =>
      deliverPassword(password, {
        dataDir: settings.dataDir,
        isTerminal: process.stderr.isTTY === true,
        write: (line) => void process.stderr.write(`${line}\n`),
      }),
    browserFiles: async () => browserFiles,
    metrics: null,
    tracing: null,
    usage: readUsage,
    containerCrypto,
    readText: (file) => readFile(file, 'utf8'),
    log,
    nowMs,
    monotonicMs: () => performance.now(),
    randomId: () => crypto.randomUUID(),
  }
}
