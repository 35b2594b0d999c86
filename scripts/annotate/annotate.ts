/** Draws on a photo what an analysis has found: face box, landmarks and verdict. */

import { AppError } from '../../src/errors.ts'
import { decodeImage, inspectImage } from '../../src/media/decode-image.ts'
import { openImageCodecs } from '../../src/media/image-codecs.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import type { PictureHeader } from '../../src/media/picture-header.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { compileCodecs, lateModules } from '../../src/platform/server-wasm.ts'
import { type Colour, drawDot, drawWords, fillBox, frameBox, measureWords } from './draw.ts'

/** What was found, in pixels of the upright picture. */
export interface Findings {
  faces: readonly { box: readonly number[] }[]
  landmarks: Readonly<Record<string, readonly (readonly number[])[]>> | null
}

const white: Colour = [255, 255, 255]
const yellow: Colour = [255, 221, 51]
const colours: Readonly<Record<string, Colour>> = { SUCCESS: [24, 128, 56], DECLINED: [190, 30, 45] }
/** Of verdicts that are neither. */
const amber: Colour = [163, 96, 0]
const quality = 90

/** Share of the shorter side. */
const lineShare = 1 / 160
const dotShare = 1 / 200
const wordsShare = 1 / 20

function drawBanner(image: RgbaImage, words: string, colour: Colour): void {
  const { width, height } = image
  const wanted = (Math.min(width, height) * wordsShare) / measureWords(words, 1).height
  const fitting = width / (measureWords(words, 1).width + 8)
  const scale = Math.max(1, Math.floor(Math.min(wanted, fitting)))
  const size = measureWords(words, scale)
  const banner = size.height + 8 * scale
  fillBox(image, { x: 0, y: height - banner, width, height: banner }, colour)
  drawWords(image, words, [4 * scale, height - banner + 4 * scale], scale, white)
}

/** Draws on the picture itself. `words`: the verdict for people. */
export function drawFindings(
  image: RgbaImage,
  found: Findings | null,
  resolution: string,
  words: string,
): void {
  const side = Math.min(image.width, image.height)
  const colour = colours[resolution] ?? amber
  const dot = Math.max(1, Math.round(side * dotShare))
  for (const point of Object.values(found?.landmarks ?? {}).flat())
    drawDot(image, point as [number, number], dot, yellow)
  for (const { box } of found?.faces ?? [])
    frameBox(
      image,
      box as [number, number, number, number],
      Math.max(2, Math.round(side * lineShare)),
      colour,
    )
  drawBanner(image, words, colour)
}

/**
 * Checks, before any analysis, that a file can be drawn on.
 * @throws {Error} for anything but a photo
 */
export function inspectPhoto(bytes: Uint8Array, pixelsMax: number): PictureHeader {
  try {
    return inspectImage(openMedium(bytes), { pixelsMax })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new Error(`--annotate draws on photos alone: ${error.message}`, { cause: error })
  }
}

/** @returns the photo as a JPEG, upright, without its metadata, with the findings on it */
export async function annotatePhoto(
  bytes: Uint8Array,
  header: PictureHeader,
  found: Findings | null,
  resolution: string,
  words: string,
): Promise<Uint8Array> {
  const codecs = openImageCodecs({ ...(await compileCodecs()), ...lateModules() })
  const image = await decodeImage(codecs, bytes, header)
  drawFindings(image, found, resolution, words)
  return codecs.encodeJpeg({ image, quality })
}
