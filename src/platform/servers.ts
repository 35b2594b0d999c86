/** The platform of Node, Bun and Deno: worker threads, files, `node:*` APIs. */
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ensureModels, type ReadyModels } from '../../models/build/ensure-models.ts'
import { AssessorPool, type WorkerAnswer, type WorkerEvents, type WorkerHandle } from '../assess/pool.ts'
import { readCohort } from '../decide/cohort.ts'
import { type Manifest, profileModels } from '../inference/manifest.ts'
import type { Settings } from '../settings.ts'
import type { WorkerStart } from './assess-worker.ts'
import { jsonLog, type Log } from './log.ts'
import type { Platform } from './platform.ts'
import { compileCodecs, compileOrt } from './server-wasm.ts'

const workersMax = 8
const startTimeoutMs = 60_000
const pullTimeoutMs = 5_000

/** Folder of the manifest. */
export const modelsFolder = fileURLToPath(new URL('../../models/', import.meta.url))

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(modelsFolder, 'manifest.json'), 'utf8')) as Manifest
}

export const builtModelsFolder = (settings: Settings): string =>
  settings.modelsDir === '' ? path.join(modelsFolder, 'built') : settings.modelsDir

type Runtime = 'node' | 'bun' | 'deno'

/** The worker's own file: the source where the runtime reads TypeScript, its bundle beside this bundle otherwise. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './assess-worker.ts' : './assess-worker.mjs',
  import.meta.url,
)

function startWorker(start: WorkerStart, events: WorkerEvents): WorkerHandle {
  const worker = new Worker(workerFile, { workerData: start })
  worker.on('message', (answer: WorkerAnswer) => events.answer(answer))
  worker.on('messageerror', events.lost)
  worker.on('error', events.lost)
  worker.on('exit', (code) => events.lost(new Error(`the worker ended with code ${code}`)))
  return {
    post: (task) => worker.postMessage(task),
    terminate: () => worker.terminate(),
  }
}

/** All workers read the same copy of the networks. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

interface PoolParts {
  settings: Settings
  manifest: Manifest
  ready: ReadyModels
  log: Log
}

async function openPool({ settings, manifest, ready, log }: PoolParts): Promise<AssessorPool> {
  const [ortModule, codecs] = await Promise.all([compileOrt(), compileCodecs()])
  const start: WorkerStart = {
    ortModule,
    codecs,
    models: [...ready.files].map(([id, bytes]) => [id, shared(bytes)] as const),
    profileName: ready.profile,
    profile: manifest.profiles[ready.profile],
    pixelsMax: settings.imageMegapixelsMax * 1e6,
    warmUp: profileModels(manifest, ready.profile).map(({ id, golden }) => [id, golden.shape] as const),
  }
  const automatic = Math.min(workersMax, availableParallelism())
  const pool = new AssessorPool({
    workers: Number.isNaN(settings.assessWorkers) ? automatic : settings.assessWorkers,
    waitingMax: settings.assessQueueMax,
    taskTimeoutMs: settings.assessTimeoutS * 1000,
    startTimeoutMs,
    startWorker: (events) => startWorker(start, events),
    onLost: (cause) =>
      log('error', 'worker lost', { cause: cause instanceof Error ? cause.message : String(cause) }),
  })
  await pool.ready()
  return pool
}

/**
 * Builds what is missing, starts the workers.
 * @throws {Error} when the networks of the profile asked for cannot be had
 */
export async function openServerPlatform(runtime: Runtime, settings: Settings): Promise<Platform> {
  const nowMs = () => Date.now()
  const log = jsonLog(settings.logLevel, nowMs, (line) => process.stdout.write(`${line}\n`))
  const manifest = await readManifest()
  const ready = await ensureModels({
    manifest,
    repository: modelsFolder,
    modelsDir: builtModelsFolder(settings),
    profile: settings.modelProfile,
    mirror: settings.modelsMirror,
    decideAnew: false,
    pullTimeoutMs,
    onProgress: (line) => log('info', 'models', { message: line }),
  })
  return {
    runtime,
    models: {
      profileName: ready.profile,
      profile: manifest.profiles[ready.profile],
      entries: profileModels(manifest, ready.profile),
      cohort: readCohort(manifest.cohort.id, ready.cohort),
    },
    assessor: await openPool({ settings, manifest, ready, log }),
    log,
    nowMs,
    monotonicMs: () => performance.now(),
    randomId: () => crypto.randomUUID(),
  }
}
