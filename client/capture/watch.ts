/** Watches the camera and says what to change. */
import { type Advice, advise, detailSide, guidanceHeight, guidanceWidth, type Look } from './guidance.ts'
import { oval } from './picture.ts'
import type { Outline } from './step.ts'

/** Time between two looks; one takes a few milliseconds. */
const intervalMs = 250

/** The part of a frame that the stage shows, as `object-fit: cover` does. */
function coveredPart({ videoWidth, videoHeight }: HTMLVideoElement) {
  const width = Math.min(videoWidth, (videoHeight * guidanceWidth) / guidanceHeight)
  const height = Math.min(videoHeight, (videoWidth * guidanceHeight) / guidanceWidth)
  return { x: (videoWidth - width) / 2, y: (videoHeight - height) / 2, width, height }
}

function makeCanvas(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  return canvas.getContext('2d', { willReadFrequently: true })!
}

/** @returns a function that looks at the current frame */
function makeLook(video: HTMLVideoElement): () => Look {
  const whole = makeCanvas(guidanceWidth, guidanceHeight)
  const detail = makeCanvas(detailSide, detailSide)
  return () => {
    const { x, y, width, height } = coveredPart(video)
    whole.drawImage(video, x, y, width, height, 0, 0, guidanceWidth, guidanceHeight)
    const left = x + oval.x * width - detailSide / 2
    const top = y + oval.y * height - detailSide / 2
    detail.drawImage(video, left, top, detailSide, detailSide, 0, 0, detailSide, detailSide)
    return {
      whole: whole.getImageData(0, 0, guidanceWidth, guidanceHeight),
      detail: detail.getImageData(0, 0, detailSide, detailSide),
    }
  }
}

/** @returns a function that ends the watch */
export function watchCamera(
  video: HTMLVideoElement,
  outline: Outline,
  onAdvice: (advice: Advice) => void,
): () => void {
  const look = makeLook(video)
  let before: Look | null = null
  const timer = setInterval(() => {
    if (video.videoWidth === 0 || document.hidden) return
    const now = look()
    onAdvice(advise(now, before, outline))
    before = now
  }, intervalMs)
  return () => clearInterval(timer)
}
