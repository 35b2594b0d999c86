/** Watches the camera and says what to change. */
import type { FaceFinder } from './face-finder.ts'
import { type Advice, advise, detailSide, guidanceHeight, guidanceWidth, type Look } from './guidance.ts'
import { oval } from './picture.ts'
import { stagePart } from './stage-part.ts'
import type { Outline } from './step.ts'

/** Time between two looks; one takes a few milliseconds. */
const intervalMs = 250

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
    const { x, y, width, height } = stagePart(video)
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

interface Watch {
  outline: Outline
  /** Width of the face, as a share of the stage's; `null` for that of the usual oval. */
  width: number | null
  faces: FaceFinder
  /** Whether the surroundings outshine the light of the screen that is to come. */
  isOutshone(): boolean
  onAdvice(advice: Advice): void
}

/** @returns a function that ends the watch */
export function watchCamera(video: HTMLVideoElement, watch: Watch): () => void {
  const { outline, width, faces, isOutshone, onAdvice } = watch
  const look = makeLook(video)
  let before: Look | null = null
  let isOver = false
  let isLooking = false
  const lookNow = async (): Promise<void> => {
    // A slow device looks less often: without the face finder, the advice would be another one.
    if (isLooking || video.videoWidth === 0 || document.hidden) return
    isLooking = true
    const face = outline === 'face' ? await faces.find(video) : undefined
    isLooking = false
    if (isOver) return
    const now = look()
    onAdvice(isOutshone() ? 'outshone' : advise(now, before, { outline, face, width }))
    before = now
  }
  const timer = setInterval(() => void lookNow(), intervalMs)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
