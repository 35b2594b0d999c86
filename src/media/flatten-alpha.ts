import type { RgbaImage } from './rgba-image.ts'

/** Blends transparent parts with white, in place, so that the colours of hidden pixels have no influence. */
export function flattenAlpha(image: RgbaImage): RgbaImage {
  const { data } = image
  for (let at = 3; at < data.length; at += 4) {
    const alpha = data[at]!
    if (alpha === 255) continue
    const white = 255 - alpha
    for (let channel = at - 3; channel < at; channel++) {
      data[channel] = (data[channel]! * alpha) / 255 + white
    }
    data[at] = 255
  }
  return image
}
