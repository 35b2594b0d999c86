/** What the stage shows of a frame. */

/** A part of a frame, in pixels. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

/** Width over height of the stage. */
const shape = 3 / 4

/** The part of a frame that the stage shows, as `object-fit: cover` does. */
export function stagePart({ videoWidth, videoHeight }: HTMLVideoElement): Part {
  const width = Math.min(videoWidth, videoHeight * shape)
  const height = Math.min(videoHeight, videoWidth / shape)
  return { x: (videoWidth - width) / 2, y: (videoHeight - height) / 2, width, height }
}

/** Width of a face in shares of the stage's, from one in shares of the frame's shorter side, as challenges have it. */
export const widthOnStage = (video: HTMLVideoElement, share: number): number =>
  video.videoWidth === 0
    ? share
    : (share * Math.min(video.videoWidth, video.videoHeight)) / stagePart(video).width
