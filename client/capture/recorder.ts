/** Records a clip, with evidence of each frame of the camera. */
import type { CaptureEvidence, PerformedStep } from '../../src/container/format.ts'
import { trackFacts } from './camera.ts'
import { CameraError } from './camera-error.ts'
import { recordedType } from './recorded-type.ts'

const bitsPerSecond = 3_000_000
/** Width of the copies of frames that digests are made of. */
const digestWidth = 96
const digestBytes = 16

export interface Clip {
  blob: Blob
  evidence: CaptureEvidence
}

function encodeBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

type Frames = [timeMs: number, digest: string][]

/** Watches the frames of a camera. @returns a function that ends it and gives what was seen */
function watchFrames(video: HTMLVideoElement, startMs: number): () => Promise<Frames> {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
  const { canvas } = context
  canvas.width = digestWidth
  canvas.height = Math.max(1, Math.round((digestWidth * video.videoHeight) / Math.max(1, video.videoWidth)))
  const frames: Promise<Frames[number]>[] = []
  let isOver = !('requestVideoFrameCallback' in video) || !globalThis.crypto?.subtle
  const look = (nowMs: number): void => {
    if (isOver) return
    context.drawImage(video, 0, 0, canvas.width, canvas.height)
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    const time = Math.round((nowMs - startMs) * 10) / 10
    frames.push(
      crypto.subtle
        .digest('SHA-256', data)
        .then((digest) => [time, encodeBase64Url(new Uint8Array(digest, 0, digestBytes))]),
    )
    video.requestVideoFrameCallback(look)
  }
  if (!isOver) video.requestVideoFrameCallback(look)
  return () => {
    isOver = true
    return Promise.all(frames)
  }
}

interface Recording {
  video: HTMLVideoElement
  stream: MediaStream
  /**
   * What happens while the clip is recorded; its end ends the clip.
   * @param startMs when the recording began, as `performance.now()` tells time
   */
  perform(startMs: number): Promise<readonly PerformedStep[]>
}

function startRecorder(stream: MediaStream): { recorder: MediaRecorder; ended: Promise<Blob> } {
  const mimeType = recordedType()
  if (mimeType === null) throw new CameraError('noRecorder')
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: bitsPerSecond })
  const chunks: Blob[] = []
  const ended = new Promise<Blob>((resolve, reject) => {
    recorder.ondataavailable = ({ data }) => chunks.push(data)
    // Parameters of the type, such as codecs, mean nothing to the server.
    recorder.onstop = () => resolve(new Blob(chunks, { type: recorder.mimeType.split(';')[0]! }))
    recorder.onerror = () => reject(new DOMException('The recorder failed', 'EncodingError'))
  })
  return { recorder, ended }
}

/**
 * Records a clip.
 * @throws {CameraError} if this browser records none; {DOMException} if the recorder fails; what `perform` throws
 */
export async function recordClip({ video, stream, perform }: Recording): Promise<Clip> {
  const { recorder, ended } = startRecorder(stream)
  // A recorder that fails meanwhile is found at the end.
  ended.catch(() => {})
  recorder.start()
  const startMs = performance.now()
  const finish = watchFrames(video, startMs)
  let steps: readonly PerformedStep[]
  try {
    steps = await perform(startMs)
  } catch (error) {
    void finish()
    throw error
  } finally {
    if (recorder.state !== 'inactive') recorder.stop()
  }
  const [blob, frames] = await Promise.all([ended, finish()])
  return { blob, evidence: { steps, frames, track: trackFacts(stream) } }
}
