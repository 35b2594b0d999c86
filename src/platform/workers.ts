/**
 * The platform of Cloudflare Workers: compiled modules are imported, networks come from the deployment's static assets,
 * and everything runs in the isolate's one thread.
 */
import jpegDecoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'
// @ts-expect-error the package types this import as the functions inside; on Workers it is the compiled module
import pngDecoder from '@jsquash/png/codec/pkg/squoosh_png_bg.wasm'
import webpDecoder from '@jsquash/webp/codec/dec/webp_dec.wasm'
import { bytesToHex } from '@noble/hashes/utils.js'
import videoModule from '#video-module'
import manifestJson from '../../models/manifest.json' with { type: 'json' }
import searchKernel from '../../wasm/gallery/kernel.wasm'
import h264 from '../../wasm/h264/h264.wasm'
import inferenceKernel from '../../wasm/inference/kernel.wasm'
import jpeg from '../../wasm/jpeg/jpeg.wasm'
import picture from '../../wasm/picture/kernel.wasm'
import registrationKernel from '../../wasm/registration/kernel.wasm'
import vp8 from '../../wasm/vp8/vp8.wasm'
import { openMediumAssessor } from '../assess/assess-medium.ts'
import { openInProcessAssessor } from '../assess/in-process.ts'
import { readCohort } from '../decide/cohort.ts'
import { openVectorComparison } from '../decide/comparison.ts'
import { AppError } from '../errors.ts'
import { openDistances } from '../gallery/kernel.ts'
import type { ModelId } from '../inference/engine.ts'
import { openLazyEngine } from '../inference/lazy-engine.ts'
import {
  type ChosenProfile,
  chooseProfile,
  type Manifest,
  type Origin,
  type ProfileName,
} from '../inference/manifest.ts'
import { openOwnEngine } from '../inference/own-engine.ts'
import { planNetworks } from '../inference/plan-networks.ts'
import { acceptedTypes } from '../media/accepted-media.ts'
import type { LateModules } from '../media/codec-modules.ts'
import { lackingFormats } from '../media/formats/registry.ts'
import { openImageCodecs } from '../media/image-codecs.ts'
import { clipFormats } from '../media/video/formats/registry.ts'
import { openLeanDecoder } from '../media/video/lean-decoder.ts'
import { openOwnDecoder } from '../media/video/own/own-decoder.ts'
import { ownFormats } from '../media/video/own/own-kinds.ts'
import { isKeyText, isStorageKeyText, type Settings, videoLimits, waitMaxMs } from '../settings.ts'
import type { R2Bucket } from '../storage/blobs/r2-blobs.ts'
import { type BrowserFiles, loadBrowserFiles } from './browser-files.ts'
import { containerCrypto } from './container-crypto.ts'
import { md5 } from './hash.ts'
import {
  archiveMemory,
  heapBytesKept,
  imageLimits,
  isolateBytes,
  isolateVideoLimits,
  searchBytesMax,
  videoBytesMax,
} from './isolate-memory.ts'
import { jsonLog } from './log.ts'
import type { Platform } from './platform.ts'
import { openS3 } from './s3.ts'
import { refuseDelivery, type WorkersBackground } from './workers-background.ts'
import { checkWorkersStorage, openWorkersPersistence } from './workers-persistence.ts'

/** The static assets that `npm run build` prepared. */
interface Assets {
  fetch(address: string): Promise<Response>
}

/** What is bound to a deployment. */
export interface WorkersBindings {
  ASSETS: Assets
  /** Bucket for media. */
  MEDIA?: R2Bucket
}

// TypeScript infers wider types for the file than those of the manifest.
const manifest = manifestJson as unknown as Manifest

async function readAsset(assets: Assets, name: string): Promise<Uint8Array> {
  const response = await assets.fetch(`https://assets.local/${name}`)
  if (!response.ok) throw new AppError('engine_unavailable', `asset ${name} answers ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** @throws {AppError} `engine_unavailable` if the asset is not one of the expected files */
async function readVerified(assets: Assets, name: string, hashes: readonly string[]): Promise<Uint8Array> {
  const bytes = await readAsset(assets, name)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  if (!hashes.includes(bytesToHex(digest)))
    throw new AppError('engine_unavailable', `asset ${name} has an unexpected sha256`)
  return bytes
}

async function readProfile(assets: Assets, settings: Settings): Promise<ChosenProfile> {
  const { profile, origin } = JSON.parse(
    new TextDecoder().decode(await readAsset(assets, 'profile.json')),
  ) as { profile: ProfileName; origin: Origin }
  if (settings.modelProfile !== 'auto' && settings.modelProfile !== profile) {
    throw new AppError(
      'engine_unavailable',
      `MODEL_PROFILE is ${settings.modelProfile}, the assets are ${profile}`,
    )
  }
  if (settings.modelOrigin === 'documented' && origin !== 'documented')
    throw new AppError('engine_unavailable', 'MODEL_ORIGIN is documented, the assets are of any origin')
  return chooseProfile(manifest, profile, origin)
}

/** The network of Workers compresses answers by itself. */
async function readBrowserFiles(assets: Assets): Promise<BrowserFiles> {
  const text = new TextDecoder().decode(await readAsset(assets, 'browser-files.json'))
  return loadBrowserFiles(JSON.parse(text))
}

/** Their decoders take more memory than an isolate has, for any photo of a phone. */
const noLateModules: LateModules = { avifDecoder: null, heicDecoder: null }

/** A request is ended, with what it runs, 30 s after its caller has left. Others must not wait for it any longer. */
const heldMaxMs = 60_000

/**
 * Checks the settings before anything is loaded.
 * @throws {AppError} `value_invalid`
 */
function checkSettings(settings: Settings, media: R2Bucket | undefined): void {
  const { jwtPrivateKey, jwtPublicKey, containerKey } = settings
  if ([jwtPrivateKey, jwtPublicKey, containerKey].some((key) => key !== '' && !isKeyText(key)))
    throw new AppError('value_invalid', 'Settings: Workers have no files: set keys as the text of their PEM')
  if (settings.storageKeys !== '' && !isStorageKeyText(settings.storageKeys))
    throw new AppError('value_invalid', 'Settings: Workers have no files: set STORAGE_KEYS as its text')
  checkWorkersStorage(settings, media)
}

/** @throws {AppError} as `checkSettings`; `database_failed`; `engine_unavailable` if the assets are incomplete */
export async function openWorkersPlatform(
  { ASSETS: assets, MEDIA: media }: WorkersBindings,
  settings: Settings,
  { runSoon, defer }: Pick<WorkersBackground, 'runSoon' | 'defer'>,
): Promise<Platform> {
  checkSettings(settings, media)
  const nowMs = () => Date.now()
  const monotonicMs = () => performance.now()
  const persistence = settings.components.stateful
    ? await openWorkersPersistence(settings, media, (name) => readAsset(assets, name))
    : null
  const { name: profileName, profile, entries, cohort, documents } = await readProfile(assets, settings)
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file, built } of entries) files.set(id, await readVerified(assets, file, built))
  const members = await readVerified(assets, cohort.file, [cohort.sha256])
  let browserFiles: Promise<BrowserFiles> | null = null
  const engine = openOwnEngine(inferenceKernel, planNetworks(files))
  // The networks that read the printed text of a page do not fit into an isolate.
  const { mrz } = manifest.documents
  const late = documents.filter(({ id }) => id === mrz)
  const lazyEngine = openLazyEngine(async (model) => {
    const entry = late.find(({ id }) => id === model)
    if (!entry) throw new AppError('engine_unavailable', `Workers do not have the model ${model}`)
    const file = await readVerified(assets, entry.file, entry.built)
    return openOwnEngine(inferenceKernel, planNetworks(new Map([[model, file]])))
  })
  const ours = mrz === undefined ? {} : { mrz }
  const opened = readCohort(cohort, members, openDistances(searchKernel))
  const assess = openMediumAssessor({
    engine,
    lazyEngine,
    documents: ours,
    compare: openVectorComparison(opened),
    codecs: openImageCodecs(
      {
        jpegDecoder,
        jpeg,
        picture,
        pngDecoder,
        webpDecoder,
        webpEncoder: null,
        ...noLateModules,
      },
      { heapBytesKept },
    ),
    md5,
    profileName,
    profile,
    limits: { pixelsMax: settings.imageMegapixelsMax * 1e6, ...imageLimits },
    archiveMemory,
    decoder: openOwnDecoder(
      { h264: async () => h264, vp8: async () => vp8 },
      videoModule && openLeanDecoder(videoModule, videoBytesMax),
      videoBytesMax,
    ),
    videoLimits: isolateVideoLimits(videoLimits(settings)),
    registrationKernel,
    monotonicMs,
  })
  return {
    runtime: 'workers',
    restOfBody: 'by_runtime',
    models: {
      profileName,
      profile,
      entries: [...entries, ...late],
      documents: ours,
      cohort: opened,
    },
    searchKernel,
    acceptedTypes: acceptedTypes(videoModule ? clipFormats : ownFormats, lackingFormats(noLateModules)),
    memoryBytes: isolateBytes,
    searchBytesMax,
    assessor: openInProcessAssessor(assess, {
      waitingMax: settings.assessQueueMax,
      waitMaxMs: waitMaxMs(settings),
      heldMaxMs,
      taskTimeoutMs: settings.assessTimeoutS * 1000,
      clipMaxS: settings.videoSecondsMax,
    }),
    // biome-ignore lint/suspicious/noConsole: the console is the log of a Worker
    log: jsonLog(settings.logLevel, nowMs, (line) => console.log(line)),
    metrics: null,
    tracing: null,
    usage: null,
    persistence,
    artifacts: settings.instantArtifacts ? openS3(settings) : null,
    runSoon,
    defer,
    deliverPassword: refuseDelivery,
    browserFiles: () => {
      browserFiles ??= readBrowserFiles(assets)
      browserFiles.catch(() => {
        browserFiles = null
      })
      return browserFiles
    },
    containerCrypto,
    async readText() {
      throw new AppError('engine_unavailable', 'there are no files to read keys from')
    },
    nowMs,
    monotonicMs,
    randomId: () => crypto.randomUUID(),
  }
}
