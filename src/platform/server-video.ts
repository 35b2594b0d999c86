/** The video decoder of servers: our own if it was built, else ffmpeg's core if it is installed, else none. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { openCoreDecoder } from '../media/video/core-decoder.ts'
import type { FfmpegCoreFactory } from '../media/video/core-instance.ts'
import { openLeanDecoder } from '../media/video/lean-decoder.ts'
import type { VideoDecoder } from '../media/video/video-decoder.ts'

/** A compiled decoder, which can be sent to a worker thread. */
export interface VideoModule {
  id: VideoDecoder['id']
  module: WebAssembly.Module
}

/** The output of `wasm/video/build.sh`. */
const builtFile = new URL('../../wasm/video/built/video.wasm', import.meta.url)
const corePackage = '@ffmpeg/core'

const require = createRequire(import.meta.url)

/** Reads a file; `null` if it does not exist. */
async function readOptional(file: URL | string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw error
  }
}

/** Path of the module in the optional package; `null` if it is not installed. */
function coreFile(): string | null {
  try {
    return require.resolve(`${corePackage}/wasm`)
  } catch {
    return null
  }
}

const readers: Record<VideoModule['id'], () => Promise<Uint8Array<ArrayBuffer> | null>> = {
  lean: () => readOptional(builtFile),
  'ffmpeg-core': async () => {
    const file = coreFile()
    return file === null ? null : readOptional(file)
  },
}

/** Compiles one decoder; `null` if it is not available. */
export async function compileVideo(id: VideoModule['id']): Promise<VideoModule | null> {
  const bytes = await readers[id]()
  return bytes === null ? null : { id, module: await WebAssembly.compile(bytes) }
}

/** Compiles the preferred decoder; `null` if none is available. */
export async function compileAnyVideo(): Promise<VideoModule | null> {
  return (await compileVideo('lean')) ?? (await compileVideo('ffmpeg-core'))
}

/** The decoder of one worker. */
export function openServerVideo({ id, module }: VideoModule): VideoDecoder {
  if (id === 'lean') return openLeanDecoder(module)
  return openCoreDecoder(require(corePackage) as FfmpegCoreFactory, module)
}
