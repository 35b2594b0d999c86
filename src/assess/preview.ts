/** The preview of a clip: a small animation of a few frames. */

import { webp } from '../media/formats/webp/webp.ts'
import { animateWebp, type Still } from '../media/formats/webp/webp-animation.ts'
import type { PictureKernel } from '../media/picture-kernel.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { shrinkToSide } from '../vision/resample.ts'
import type { CodedImage } from './assessment.ts'
import type { ShotTools } from './shots.ts'

/** Number of frames in a preview. */
export const previewFrames = 8
const sideMax = 320
const quality = 60
const frameMs = 250

interface TimedImage {
  timeS: number
  image: RgbaImage
}

/** Collects evenly spaced frames while the clip is decoded. */
export class Preview {
  readonly #pictures: PictureKernel
  readonly #everyS: number
  readonly #frames: TimedImage[] = []

  constructor(pictures: PictureKernel, durationS: number) {
    this.#pictures = pictures
    this.#everyS = durationS / previewFrames
  }

  take({ timeS, image }: TimedImage): void {
    if (timeS + 1e-6 < this.#frames.length * this.#everyS || this.#frames.length >= previewFrames) return
    this.#frames.push({ timeS, image: shrinkToSide(new Pyramid(this.#pictures, image), sideMax) })
  }

  /** Discards the collected frames, because the clip is read again with another frame size. */
  restart(): void {
    this.#frames.length = 0
  }

  /**
   * @param turnUpright rotates a frame so that the subject is upright
   * @returns `null` if no frame was collected or there is no encoder
   */
  async make(
    { codecs, md5 }: ShotTools,
    turnUpright: (frame: TimedImage) => RgbaImage,
  ): Promise<CodedImage | null> {
    const stills: Still[] = []
    for (const image of this.#frames.map(turnUpright)) {
      const bytes = await codecs.encodeWebp({ image, quality })
      if (!bytes) return null
      stills.push({ bytes, width: image.width, height: image.height })
    }
    if (stills.length === 0) return null
    const animation = animateWebp(stills, frameMs)
    return { ...animation, mimeType: webp.mimeType, md5: await md5(animation.bytes) }
  }
}
