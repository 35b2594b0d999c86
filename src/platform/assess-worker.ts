/** The code of a worker thread: loads the networks, then assesses one medium at a time. */
import { setTimeout } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { openMediumAssessor } from '../assess/assess-medium.ts'
import type { Assessment } from '../assess/assessment.ts'
import type { WorkerAnswer, WorkerTask } from '../assess/pool.ts'
import { assessPortrait, makePortrait, warmUp } from '../assess/warm-up.ts'
import { type CohortFacts, readCohort } from '../decide/cohort.ts'
import { openVectorComparison } from '../decide/comparison.ts'
import { AppError } from '../errors.ts'
import type { Engine, ModelId } from '../inference/engine.ts'
import type { DocumentNetworks, Profile, ProfileName } from '../inference/manifest.ts'
import { openOwnEngine } from '../inference/own-engine.ts'
import type { Plans } from '../inference/plan-networks.ts'
import type { SharedModules } from '../media/codec-modules.ts'
import { openImageCodecs } from '../media/image-codecs.ts'
import type { VideoLimits } from '../media/video/video-decoder.ts'
import { md5 } from './hash.ts'
import { idleCollector } from './idle-collector.ts'
import { type LateNetworks, openLateNetworks } from './late-networks.ts'
import { packMessage, unpackMessage } from './packed-message.ts'
import { openServerVideo, type VideoFile } from './server-video.ts'
import { lateModules } from './server-wasm.ts'
import { threadAccount, threadClock } from './thread-clock.ts'

/** The first message to a worker. Modules and shared buffers are not copied. */
export interface WorkerStart {
  /** The kernel of our inference engine. */
  kernel: WebAssembly.Module
  plans: Plans
  codecs: SharedModules
  registrationKernel: WebAssembly.Module
  profileName: ProfileName
  profile: Profile
  cohort: { facts: CohortFacts; bytes: Uint8Array }
  pixelsMax: number
  /** The decoder beside our own; `null` if there is none. */
  video: VideoFile | null
  videoLimits: VideoLimits
  /** An input shape of each network. */
  inputs: readonly (readonly [ModelId, readonly number[]])[]
  documents: DocumentNetworks
  late: LateNetworks
}

const port = parentPort!
const start = unpackMessage<WorkerStart>(await new Promise((resolve) => port.once('message', resolve)))

/** The buffers of an answer that can be transferred instead of copied. */
function collectBuffers(assessment: Assessment): ArrayBuffer[] {
  const { thumbnail, bestShot, snapshot, preview, actionShot, portrait, cropped } = assessment
  const thumbnails = [thumbnail, ...[bestShot, actionShot, portrait].map((shot) => shot?.thumbnail)]
  const pictures = [...thumbnails, bestShot, snapshot, preview, actionShot, portrait]
  return [...pictures.map((picture) => picture?.bytes), cropped]
    .filter((bytes) => bytes !== undefined && bytes !== null)
    .map((bytes) => bytes.buffer as ArrayBuffer)
}

function send(answer: WorkerAnswer): void {
  port.postMessage(packMessage(answer), answer.kind === 'assessed' ? collectBuffers(answer.assessment) : [])
}

function toRefusal(error: unknown): WorkerAnswer {
  const cause = error instanceof Error ? error : new Error(String(error))
  if (!(error instanceof AppError))
    return {
      kind: 'refused',
      code: 'internal',
      message: 'assessment failed',
      details: null,
      cause: cause.stack ?? cause.message,
    }
  const inner = error.cause instanceof Error ? error.cause.message : null
  const { code, message, details } = error
  return { kind: 'refused', code, message, details, cause: inner }
}

/** Runs each network once: a worker that cannot run one does not get ready. */
async function tryNetworks(engine: Engine): Promise<void> {
  for (const [id, shape] of start.inputs) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1))
    await engine.run(id, { data, shape })
  }
}

const account = threadAccount()
const engine = openOwnEngine(start.kernel, start.plans)
await tryNetworks(engine)
const codecs = openImageCodecs({ ...start.codecs, ...lateModules() })
const assess = openMediumAssessor({
  engine,
  lazyEngine: openLateNetworks(start.late, start.kernel),
  documents: start.documents,
  codecs,
  md5,
  profileName: start.profileName,
  profile: start.profile,
  compare: openVectorComparison(readCohort(start.cohort.facts, start.cohort.bytes)),
  limits: { pixelsMax: start.pixelsMax },
  decoder: openServerVideo(start.video),
  videoLimits: start.videoLimits,
  registrationKernel: start.registrationKernel,
  monotonicMs: () => performance.now(),
  workedMs: threadClock(account),
})

// The first photo takes two to three times as long as later ones: nobody's has to be that one.
const portrait = await makePortrait(codecs)
const ignore = () => {
  // A medium fails in the same way, and its caller is told.
}
await assessPortrait(assess, portrait).catch(ignore)

const collector = idleCollector()

let isAsked = false
const asked = new Promise<void>((resolve) => {
  port.once('message', () => {
    isAsked = true
    resolve()
  })
})
const pause = (ms: number) => Promise.race([setTimeout(ms), asked])
const warm = warmUp({ assess, portrait, pause, isWaiting: () => isAsked }).catch(ignore)

port.on('message', async (task: unknown) => {
  const { medium, wanted } = unpackMessage<WorkerTask>(task)
  collector.begin()
  await warm
  try {
    send({ kind: 'assessed', assessment: await assess(medium, wanted) })
  } catch (error) {
    send(toRefusal(error))
  }
  collector.end()
})
send({ kind: 'ready', account })
