/** Changes the colours of crops of a picture. */
import { brightness } from '../brightness.ts'

/** Factors for red, green and blue, or grey: brightness alone. */
export type ColourChange = readonly [red: number, green: number, blue: number] | 'grey'

/** Changes planes `[3,height,width]`, 0…255, in place. */
export function changeColours(
  planes: Float32Array,
  order: 'rgb' | 'bgr',
  change: ColourChange | undefined,
): Float32Array {
  const plane = planes.length / 3
  const [red, blue] = order === 'rgb' ? [0, 2 * plane] : [2 * plane, 0]
  if (change === 'grey')
    for (let i = 0; i < plane; i++) {
      const grey = brightness(planes[red + i]!, planes[plane + i]!, planes[blue + i]!)
      planes[i] = grey
      planes[plane + i] = grey
      planes[2 * plane + i] = grey
    }
  else if (change)
    for (const [channel, first] of [red, plane, blue].entries())
      for (let i = first; i < first + plane; i++) planes[i] = Math.min(255, planes[i]! * change[channel]!)
  return planes
}
