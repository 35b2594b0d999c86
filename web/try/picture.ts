/** Pictures of the chosen files, with the lines of the faces drawn over them. */

import { visitFrames } from '../../client/capture/clip-frames.ts'
import type { Picture } from '../detail.ts'
import { svg } from '../dom.ts'
import { cornersOf, openLines, toPath } from '../face-lines.ts'
import type { ClipSize } from './clip-progress.ts'

/** Longer side of a shown picture in pixels. */
const shownMax = 1280

type Drawable = ImageBitmap | HTMLVideoElement

/**
 * Draws an upright picture.
 * @param turns clockwise quarter turns
 */
function draw(
  source: Drawable,
  width: number,
  height: number,
  turns: number,
  sideMax: number,
): HTMLCanvasElement {
  const scale = Math.min(1, sideMax / Math.max(width, height))
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
  const canvas = document.createElement('canvas')
  const isOnSide = turns % 2 === 1
  canvas.width = isOnSide ? down : across
  canvas.height = isOnSide ? across : down
  const context = canvas.getContext('2d')
  if (!context) throw new TypeError('no 2d context')
  context.translate(canvas.width / 2, canvas.height / 2)
  context.rotate((turns * Math.PI) / 2)
  context.drawImage(source, -across / 2, -down / 2, across, down)
  return canvas
}

/** @throws if the browser cannot decode the picture */
export async function showPhoto(file: Blob, turns = 0): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(file)
  try {
    return draw(bitmap, bitmap.width, bitmap.height, turns, shownMax)
  } finally {
    bitmap.close()
  }
}

/**
 * Pictures of a clip at some times.
 * @throws if the browser cannot decode the clip
 */
export const showFrames = (
  file: Blob,
  timesS: readonly number[],
  turns: number,
  sideMax: number = shownMax,
): Promise<HTMLCanvasElement[]> =>
  visitFrames(file, timesS, (video) => draw(video, video.videoWidth, video.videoHeight, turns, sideMax))

/** Later than any clip ends, in seconds. */
const afterEnd = 1e6

/** @returns `null` for what the browser cannot open */
export async function measureClip(file: Blob): Promise<ClipSize | null> {
  const measure = ({ duration, currentTime, videoWidth, videoHeight }: HTMLVideoElement) => ({
    // Recordings of the camera do not tell how long they are; where they end they do.
    durationS: Number.isFinite(duration) ? duration : currentTime,
    pixels: videoWidth * videoHeight,
  })
  const [size = null] = await visitFrames(file, [afterEnd], measure).catch(() => [])
  return size && size.durationS > 0 && size.durationS < afterEnd ? size : null
}

/** The best shot of an answer, for media that the browser cannot show. */
export async function showBase64(text: string): Promise<HTMLCanvasElement> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return showPhoto(new Blob([bytes], { type: 'image/jpeg' }))
}

/** Boxes of all faces and the landmarks of the largest, in the coordinates of the picture. */
export function drawFaces({ width, height, faces, landmarks }: Picture): SVGSVGElement {
  const both = (path: string, name: string) => [
    svg('path', { d: path, class: `${name} under` }),
    svg('path', { d: path, class: name }),
  ]
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'faces', 'aria-hidden': 'true' },
    ...Object.entries(landmarks ?? {}).map(([line, points]) =>
      svg('path', { d: toPath(points, !openLines.has(line)), class: 'line' }),
    ),
    ...faces.flatMap(({ box }) => both(cornersOf(box), 'box')),
  )
}
