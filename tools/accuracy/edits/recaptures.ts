/**
 * Rough simulations of portraits on a print or a screen in front of a camera: attacks for edits if no others are available. Their
 * rates tell nothing about real prints and screens.
 */

import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { shrinkImage } from '../../../test/fixtures/codecs.ts'
import { generator } from '../../../test/fixtures/gallery.ts'
import { blur, warp } from '../animation/picture-operations.ts'

type Recapture = (image: RgbaImage) => RgbaImage

/** Maps the value of the medium at a pixel to the light that reaches the camera; both 0…1, with the gamma of the file. */
type Medium = (value: number, channel: number, x: number, y: number, random: () => number) => number

function seen(image: RgbaImage, medium: Medium): RgbaImage {
  const random = generator(1)
  const data = image.data.slice()
  for (let i = 0; i < data.length; i++) {
    const channel = i % 4
    if (channel === 3) continue
    const place = i >> 2
    const [x, y] = [place % image.width, Math.floor(place / image.width)]
    data[i] = 255 * medium(data[i]! / 255, channel, x, y, random)
  }
  return { ...image, data }
}

const faceScale = 320
const fixedSize = (image: RgbaImage): RgbaImage => {
  const scale = Math.min(1, (faceScale * 2) / Math.max(image.width, image.height))
  return shrinkImage(image, Math.round(image.width * scale), Math.round(image.height * scale))
}

const bend = (image: RgbaImage): RgbaImage =>
  warp(image, (x, y) => [3 * Math.sin(y / 90), 2 * Math.sin(x / 110)])

/** Ink on paper: greyish black, dots, grain, a warm lamp on one side, and a camera slightly out of focus. */
const print: Recapture = (image) => {
  const dots = seen(fixedSize(image), (value, channel, x, y, random) => {
    const ink = 0.14 + 0.72 * value
    const screen =
      0.05 * Math.sin((x * 0.9 + y * 0.5 + channel * 2) * 1.9) * Math.sin((y * 0.9 - x * 0.5) * 1.9)
    const lamp = 0.9 + 0.2 * (x / image.width)
    return (ink + screen + 0.03 * (random() - 0.5)) * lamp * [1.04, 1, 0.9][channel]!
  })
  return blur(bend(dots), 1)
}

/** A screen: bluish, moiré of its subpixels with the camera's pixels, bright black, a reflection. */
const screen: Recapture = (image) => {
  const stripes = seen(fixedSize(image), (value, channel, x, y, random) => {
    const beat = 0.04 * Math.sin((x * 1.02 + y * 0.05) * 2.1 + channel * 2.1) + 0.02 * Math.sin(y * 2.4)
    const glare =
      0.25 * Math.exp(-(((x - image.width * 0.3) / 90) ** 2) - ((y - image.height * 0.2) / 60) ** 2)
    return (0.06 + 0.94 * value ** 0.9 + beat + glare + 0.02 * (random() - 0.5)) * [0.93, 1, 1.08][channel]!
  })
  return blur(stripes, 1)
}

export const recaptures: Record<string, Recapture> = { 'simulated print': print, 'simulated screen': screen }
