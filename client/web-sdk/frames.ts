/**
 * Frames of what was captured here. The vendor's SDK sends frames, also of a single photo, which its answers link; our element sends a clip
 * or a photo, and its pages find frames in the same place.
 */
import type { Folder } from '../answers.ts'
import { takePhoto } from '../capture/camera.ts'
import { visitFrames } from '../capture/clip-frames.ts'
import type { Capture } from '../capture/describe-capture.ts'
import { fileName } from '../capture/submit.ts'
import type { FrameLinks } from './results.ts'

/** Frames of a clip, evenly spaced. */
const frameCount = 8

/** Pages show a `data:` link, fetch it and send it on, as they do with one of a server. */
const toLink = (picture: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(picture)
  })

function framesOf(clip: Blob, durationS: number): Promise<string[]> {
  const timesS = Array.from({ length: frameCount }, (_, i) => (i * durationS) / frameCount)
  return visitFrames(clip, timesS, async (video) => toLink(await takePhoto(video)))
}

/** Links to frames of all media of a folder: a photo is one. None of a clip that the browser cannot decode. */
export async function linkFrames({ media }: Folder, captures: readonly Capture[]): Promise<FrameLinks> {
  const links = new Map<string, readonly string[]>()
  for (const { media_id, original_name, info } of media ?? []) {
    const capture = captures.find((one) => fileName(one) === original_name)
    if (!capture) continue
    const durationS = info.video?.duration
    const frames =
      durationS === undefined
        ? [await toLink(capture.blob)]
        : await framesOf(capture.blob, durationS).catch(() => [])
    links.set(media_id, frames)
  }
  return links
}
