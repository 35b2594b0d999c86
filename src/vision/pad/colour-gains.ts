/** Changes the colour of the light in crops of a picture. */

/** Factors for red, green and blue. */
export type ColourGains = readonly [red: number, green: number, blue: number]

/** Multiplies planes `[3,height,width]`, 0…255, by the gains of their channels, in place. */
export function applyGains(planes: Float32Array, order: 'rgb' | 'bgr', gains: ColourGains): Float32Array {
  const plane = planes.length / 3
  for (let channel = 0; channel < 3; channel++) {
    const gain = gains[order === 'rgb' ? channel : 2 - channel]!
    for (let i = channel * plane; i < (channel + 1) * plane; i++) planes[i] = Math.min(255, planes[i]! * gain)
  }
  return planes
}
