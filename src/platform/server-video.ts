/**
 * The video decoder of servers: our own, which decodes H.264 and VP8; behind it the lean one if it was built, else ffmpeg's
 * core if it is installed, else none.
 */
import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { clipKinds } from '../media/accepted-media.ts'
import { openCoreDecoder } from '../media/video/core-decoder.ts'
import type { FfmpegCoreFactory } from '../media/video/core-instance.ts'
import { openLeanDecoder } from '../media/video/lean-decoder.ts'
import { checkModule } from '../media/video/lean-module.ts'
import { openOwnDecoder } from '../media/video/own/own-decoder.ts'
import type { VideoDecoder } from '../media/video/video-decoder.ts'
import { once } from './once.ts'
import { compileH264, compileVp8 } from './server-wasm.ts'

type FileId = Exclude<VideoDecoder['id'], 'own'>

/** A decoder that is on this machine. */
export interface VideoFile {
  id: FileId
  /** Path of its WebAssembly module. */
  file: string
}

/** The output of `wasm/video/build.sh`. */
const builtFile = new URL('../../wasm/video/built/video.wasm', import.meta.url)
const corePackage = '@ffmpeg/core'

const require = createRequire(import.meta.url)

/** Path of the module in the optional package; `null` if it is not installed. */
function coreFile(): string | null {
  try {
    return require.resolve(`${corePackage}/wasm`)
  } catch {
    return null
  }
}

const files: Record<FileId, () => string | null> = {
  lean: () => fileURLToPath(builtFile),
  'ffmpeg-core': coreFile,
}

/** Told of a decoder that is here and cannot be used. */
type OnUnusable = (cause: Error) => void

/** Whether a decoder has what we call: one that was built from other sources has not. */
export async function isUsable({ id, file }: VideoFile, onUnusable: OnUnusable): Promise<boolean> {
  if (id !== 'lean') return true
  try {
    checkModule(await WebAssembly.compile(await readFile(file)))
    return true
  } catch (cause) {
    onUnusable(cause as Error)
    return false
  }
}

/** Looks for one decoder; `null` if it is not here, or was built from other sources. */
export async function findVideo(id: FileId, onUnusable: OnUnusable = () => {}): Promise<VideoFile | null> {
  const file = files[id]()
  const isHere =
    file !== null &&
    (await access(file).then(
      () => true,
      () => false,
    ))
  return isHere && (await isUsable({ id, file }, onUnusable)) ? { id, file } : null
}

/** Looks for the preferred decoder; `null` if none can be used. */
export async function findAnyVideo(onUnusable?: OnUnusable): Promise<VideoFile | null> {
  return (await findVideo('lean', onUnusable)) ?? (await findVideo('ffmpeg-core'))
}

async function openCompiled({ id, file }: VideoFile): Promise<VideoDecoder> {
  const module = await WebAssembly.compile(await readFile(file))
  if (id === 'lean') return openLeanDecoder(module)
  return openCoreDecoder(require(corePackage) as FfmpegCoreFactory, module)
}

const openOnce = (video: VideoFile): (() => Promise<VideoDecoder>) =>
  once(() =>
    openCompiled(video).catch((cause) => {
      throw new Error('the video decoder cannot be loaded', { cause })
    }),
  )

/**
 * A decoder alone. Its module, of up to 32 MB, is compiled when the first clip comes. Node shares the compiled code
 * between workers. Only ffmpeg's core writes clips, so it is also loaded for clips to crop, if it is installed.
 */
export function openVideoFile(video: VideoFile): VideoDecoder {
  const decoder = openOnce(video)
  const core = coreFile()
  const writer = video.id === 'ffmpeg-core' ? decoder : core && openOnce({ id: 'ffmpeg-core', file: core })
  return {
    id: video.id,
    reads: clipKinds,
    open: async (...clip) => (await decoder()).open(...clip),
    ...(writer ? { crop: async (...clip) => (await writer()).crop!(...clip) } : {}),
  }
}

/** The decoder of one worker. @param video takes the clips that our own leaves; `null`: they are refused */
export const openServerVideo = (video: VideoFile | null): VideoDecoder =>
  openOwnDecoder({ h264: once(compileH264), vp8: once(compileVp8) }, video && openVideoFile(video))
