import type { ClipName } from '../../test/fixtures/clips.ts'
import { recipes, remake } from '../../test/fixtures/clips.ts'
import { portrait } from '../../test/fixtures/portraits.ts'

export interface BenchClip {
  name: string
  bytes: Uint8Array
  extension: string
  width: number
  height: number
}

export const seconds = 5
export const framesPerSecond = 30

const chosen = [
  'h264 mp4',
  'hevc mp4',
  'vp8 webm',
  'vp9 webm',
  'mjpeg avi',
  'mpeg4 3gp',
  'h263 3gp',
  'theora ogg',
  'mpeg2video mpg',
  'wmv2 wmv',
] as const satisfies readonly ClipName[]

/** A face in front of a blurred room, with an unsteady hand and sensor noise: like a clip of a phone, but without depth. */
const selfie = (width: number, height: number): string =>
  `loop=loop=${seconds * framesPerSecond}:size=1:start=0,setpts=N/${framesPerSecond}/TB,split[a][b];` +
  `[a]vflip,scale=${width * 1.1}:-2,crop=${Math.round(width * 1.05)}:${Math.round(height * 1.05)},boxblur=20[room];` +
  `[b]scale=${height}:${height}[face];` +
  `[room][face]overlay=x=(W-w)/2:y=(H-h)/2,noise=alls=8:allf=t,` +
  `crop=${width}:${height}:x='(iw-ow)*(0.5+0.5*sin(n/12))':y='(ih-oh)*(0.5+0.5*cos(n/15))'`

async function benchClip(name: ClipName): Promise<BenchClip> {
  const {
    encoder,
    extension,
    width,
    height,
    output = [],
  } = { width: 1280, height: 720, output: [], ...recipes[name] }
  const length = ['-r', `${framesPerSecond}`, '-frames:v', `${seconds * framesPerSecond}`]
  const options = ['-vf', selfie(width, height), '-pix_fmt', 'yuv420p', ...length, ...encoder, ...output]
  return {
    name,
    bytes: await remake(await portrait('redhead'), extension, options),
    extension,
    width,
    height,
  }
}

/** The clip for measuring throughput and memory. */
export const commonClip = (): Promise<BenchClip> => benchClip('h264 mp4')

/** Five seconds, 1280 × 720 (H.263: CIF), 30 pictures per second; generated one by one to save memory. */
export async function* benchClips(): AsyncGenerator<BenchClip> {
  for (const name of chosen) yield await benchClip(name)
}
