/** Clips: decoding and complete assessment on one thread, compared with native ffmpeg and ONNX runtime. */

import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readCohort } from '../../src/decide/cohort.ts'
import { openVectorComparison } from '../../src/decide/comparison.ts'
import type { Engine } from '../../src/inference/engine.ts'
import type { VideoDecoder } from '../../src/media/video/video-decoder.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { findAnyVideo, openServerVideo } from '../../src/platform/server-video.ts'
import { readSettings, videoLimits } from '../../src/settings.ts'
import { registrationKernel, testCodecs, testMd5 } from '../../test/fixtures/codecs.ts'
import { openFileAssessor } from '../../test/fixtures/file-assessor.ts'
import { aims } from './aims.ts'
import { openNativeEngine } from './native.ts'
import { quantile } from './quantiles.ts'
import { type BenchClip, benchClips, commonClip } from './video-clips.ts'
import { nativeDecoder } from './video-native.ts'
import { measureClipService } from './video-service.ts'
import { StageClock, type StageMs, stages, timedDecoder, timedEngine } from './video-stages.ts'

interface ClipTimes {
  decodeMs: number
  wholeMs: number
  /** CPU time, which is less affected by other work on the machine. */
  processorMs: number
  stagesMs: StageMs
}

export interface MeasuredClip {
  name: string
  megabytes: number
  ours: ClipTimes
  /** The total is `null` if the native ONNX runtime is not installed. */
  native: { decodeMs: number; whole: { ms: number; stagesMs: StageMs } | null }
  /** Ours relative to native; medians over the rounds. */
  ratio: { decode: number; whole: number | null }
}

export type MeasuredVideo = Awaited<ReturnType<typeof measureVideo>>

const wanted = { faces: true, template: true, pad: true, bestShot: true, thumbnail: true, preview: true }
const median = (values: readonly number[]): number => quantile(values, 0.5)

interface Run {
  ms: number
  processorMs: number
  stagesMs: StageMs
}

const mediumRun = (runs: readonly Run[]): Run => ({
  ms: median(runs.map(({ ms }) => ms)),
  processorMs: median(runs.map(({ processorMs }) => processorMs)),
  stagesMs: Object.fromEntries(
    stages.map((stage) => [stage, median(runs.map(({ stagesMs }) => stagesMs[stage]))]),
  ) as StageMs,
})

type Parts = Awaited<ReturnType<typeof openParts>>

async function openParts(benchFolder: string) {
  const settings = readSettings(process.env)
  const models = await openModels(settings, {
    onProgress: (line) => process.stderr.write(`${line}\n`),
  })
  const hasNative = existsSync(path.join(benchFolder, 'node_modules', 'onnxruntime-node'))
  return {
    settings,
    models,
    decoder: openServerVideo(await findAnyVideo()),
    engine: await openLocalEngine(models.files),
    nativeEngine: hasNative ? await openNativeEngine(benchFolder, models.files) : null,
  }
}

/** Assesses a clip repeatedly with one decoder and one engine. */
function assessing({ settings, models }: Parts, engine: Engine, decoder: VideoDecoder, bytes: Uint8Array) {
  const clock = new StageClock()
  const assess = openFileAssessor({
    engine: timedEngine(engine, clock),
    lazyEngine: engine,
    documents: {},
    codecs: testCodecs,
    md5: testMd5,
    profileName: models.chosen.name,
    profile: models.chosen.profile,
    compare: openVectorComparison(readCohort(models.chosen.cohort, models.cohort)),
    limits: { pixelsMax: settings.imageMegapixelsMax * 1e6 },
    monotonicMs: () => performance.now(),
    decoder: timedDecoder(decoder, clock),
    registrationKernel,
    videoLimits: videoLimits(settings),
  })
  return async (): Promise<Run> => {
    const start = performance.now()
    const before = process.cpuUsage()
    const { subject } = await assess(bytes, wanted)
    const { user, system } = process.cpuUsage(before)
    const ms = performance.now() - start
    if (subject?.template.status !== 'extracted') throw new Error('the face of the clip was not found')
    return { ms, processorMs: (user + system) / 1000, stagesMs: clock.take(ms) }
  }
}

async function measureClip(
  parts: Parts,
  clip: BenchClip,
  file: string,
  rounds: number,
): Promise<MeasuredClip> {
  const ours = assessing(parts, parts.engine, parts.decoder, clip.bytes)
  const native = nativeDecoder(file, clip)
  // Without the native runtime, the native decoder is measured with our engine.
  const theirs = assessing(parts, parts.nativeEngine ?? parts.engine, native, clip.bytes)
  const runs: { ours: Run; theirs: Run }[] = []
  for (let round = -1; round < rounds; round++) {
    const pair = { ours: await ours(), theirs: await theirs() }
    if (round >= 0) runs.push(pair)
    process.stderr.write(`\r${clip.name}: round ${Math.max(0, round + 1)} of ${rounds} `)
  }
  process.stderr.write('\n')
  const [us, them] = [mediumRun(runs.map((run) => run.ours)), mediumRun(runs.map((run) => run.theirs))]
  return {
    name: clip.name,
    megabytes: clip.bytes.length / 1e6,
    ours: {
      decodeMs: us.stagesMs.decode,
      wholeMs: us.ms,
      processorMs: us.processorMs,
      stagesMs: us.stagesMs,
    },
    native: {
      decodeMs: them.stagesMs.decode,
      whole: parts.nativeEngine ? { ms: them.ms, stagesMs: them.stagesMs } : null,
    },
    ratio: {
      decode: median(runs.map((run) => run.ours.stagesMs.decode / run.theirs.stagesMs.decode)),
      whole: parts.nativeEngine ? median(runs.map((run) => run.ours.ms / run.theirs.ms)) : null,
    },
  }
}

/**
 * Measures, and prints each clip as it is done.
 * @param benchFolder folder of the peers, if they are installed
 * @param isAlone H.264 only
 */
export async function measureVideo(benchFolder: string, rounds: number, isAlone: boolean) {
  const parts = await openParts(benchFolder)
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'))
  const clips: MeasuredClip[] = []
  try {
    for await (const clip of isAlone ? [await commonClip()] : benchClips()) {
      const file = path.join(folder, `clip.${clip.extension}`)
      await writeFile(file, clip.bytes)
      const measured = await measureClip(parts, clip, file, rounds)
      process.stdout.write(`${clipText(measured)}\n`)
      clips.push(measured)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return {
    profile: parts.models.chosen.name,
    decoder: parts.decoder.id,
    rounds,
    clips,
    service: await measureClipService(),
  }
}

const stageText = (stagesMs: StageMs): string =>
  stages.map((stage) => `${stage} ${stagesMs[stage].toFixed(0)}`).join(', ')

function clipText({ name, megabytes, ours, native, ratio }: MeasuredClip): string {
  const whole = native.whole ? `, native ${native.whole.ms.toFixed(0)}: × ${ratio.whole!.toFixed(2)}` : ''
  return [
    `${name.padEnd(15)} ${megabytes.toFixed(1).padStart(4)} MB  decode ${ours.decodeMs.toFixed(0).padStart(5)} ms`,
    `, native ${native.decodeMs.toFixed(0)}: × ${ratio.decode.toFixed(2)};`,
    `  assessed ${ours.wholeMs.toFixed(0).padStart(5)} ms (processor ${ours.processorMs.toFixed(0)})${whole}`,
    `\n    ours: ${stageText(ours.stagesMs)}`,
    ...(native.whole ? [`\n    native: ${stageText(native.whole.stagesMs)}`] : []),
  ].join('')
}

/** Conditions of the measurement, and results of the server. */
export function videoText({ profile, decoder, rounds, service }: MeasuredVideo): string {
  const { throughput, memory } = service
  return [
    `profile ${profile}, decoder ${decoder}, one thread, median of ${rounds} (aim for 5 s of H.264 720p: ${aims.clipMs} ms); × is our time over the native one`,
    `Instant, 5 s H.264 720p, liveness: ${throughput.clipsPerMinute.toFixed(0)} clips a minute (aim: ${aims.clipsPerMinute}), p50 ${throughput.p50Ms.toFixed(0)} ms (${throughput.clips} clips, ${throughput.workers} workers, ${throughput.callers} callers)`,
    `memory: ${memory.oneWorkerMb.toFixed(0)} MB with one worker, ${memory.twoWorkersMb.toFixed(0)} MB with two after ${memory.clips} clips each: ${memory.perWorkerMb.toFixed(0)} MB for the second`,
  ].join('\n')
}
