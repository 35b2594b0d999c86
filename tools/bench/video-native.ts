/** The distribution's ffmpeg as a decoder with one thread, the reference for clips. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RgbaImage, Size } from '../../src/media/rgba-image.ts'
import type { OpenedVideo, VideoDecoder, VideoFrame } from '../../src/media/video/video-decoder.ts'
import { type BenchClip, framesPerSecond, seconds } from './video-clips.ts'

/** Reads the pictures of a clip from ffmpeg's output pipe. */
async function* pictures(
  file: string,
  { width, height }: Size,
  seek: readonly string[],
  rest: readonly string[],
): AsyncGenerator<RgbaImage> {
  const scale = ['-s', `${width}x${height}`, '-sws_flags', 'area', '-pix_fmt', 'rgba', '-f', 'rawvideo', '-']
  const args = ['-v', 'error', '-threads', '1', ...seek, '-i', file, ...rest, ...scale]
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const size = width * height * 4
  let chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length < size) continue
      const whole = Buffer.concat(chunks)
      let at = 0
      for (; at + size <= length; at += size)
        yield { width, height, data: new Uint8ClampedArray(whole.subarray(at, at + size)) }
      chunks = [whole.subarray(at)]
      length -= at
    }
  } finally {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
  }
}

/** @param file the clip on disk, because ffmpeg seeks in it */
export function nativeDecoder(file: string, { width, height }: BenchClip): VideoDecoder {
  const fullSizeAt = async (timeS: number): Promise<RgbaImage> => {
    for await (const picture of pictures(file, { width, height }, ['-ss', `${timeS}`], ['-frames:v', '1']))
      return picture
    throw new Error('ffmpeg gave no picture')
  }
  const video: OpenedVideo = {
    facts: {
      width,
      height,
      framesPerSecond,
      rotation: 0,
      durationS: seconds,
      usedDurationS: seconds,
      frames: seconds * framesPerSecond,
      timing: null,
      container: 'made',
      codec: 'made',
      mimeType: 'video/mp4',
    },
    async *frames({ timesS, sideMax }) {
      const times = timesS ?? []
      const scale = Math.min(1, sideMax / Math.max(width, height))
      const size = { width: Math.round(width * scale), height: Math.round(height * scale) }
      const every = ['-vf', `fps=${times.length / seconds}`]
      let index = 0
      for await (const image of pictures(file, size, [], every)) {
        const timeS = times[index++]
        if (timeS === undefined) return
        yield { timeS, image, keepFullSize: () => () => fullSizeAt(timeS) } satisfies VideoFrame
      }
    },
    frameAt: async (timeS) => {
      const image = await fullSizeAt(timeS)
      return { timeS, image, keepFullSize: () => async () => image }
    },
    close() {},
  }
  return { id: 'lean', reads: 'all', open: async () => video }
}
