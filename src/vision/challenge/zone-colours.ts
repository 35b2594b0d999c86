/** Colours of the zones of a clip, as signals that the light of a screen can be found in. */
import { colourUnits, type LightFrame, type LightZone, lightZones } from './light-record.ts'

/** Red, green and blue, or the signals of a colour. */
export type Triple = readonly [number, number, number]

/** Mean colour of some zones, linear; `null` if none is visible. */
export function meanColour({ colours }: LightFrame, zones: readonly LightZone[]): Triple | null {
  const sum = [0, 0, 0]
  let count = 0
  for (const zone of zones) {
    const at = lightZones.indexOf(zone) * 3
    if (!(colours[at]! >= 0 && colours[at + 1]! >= 0 && colours[at + 2]! >= 0)) continue
    for (let i = 0; i < 3; i++) sum[i]! += colours[at + i]! / colourUnits
    count++
  }
  return count === 0 ? null : [sum[0]! / count, sum[1]! / count, sum[2]! / count]
}

/** Share of the frames that must show a zone. */
export const seenMin = 0.7
/** Where a camera shows nothing but white, changes are lost. */
const brightest = 0.95

/** Mean colour of the zones that are usually visible, by frame; `null` in frames that do not show all of these. */
export function meanColours(zones: readonly LightZone[], frames: readonly LightFrame[]): (Triple | null)[] {
  const isShown = (frame: LightFrame, zone: LightZone) => {
    const mean = meanColour(frame, [zone])
    return mean !== null && Math.max(...mean) < brightest
  }
  const usual = zones.filter(
    (zone) => frames.filter((frame) => isShown(frame, zone)).length >= seenMin * frames.length,
  )
  return frames.map((frame) =>
    usual.length > 0 && usual.every((zone) => isShown(frame, zone)) ? meanColour(frame, usual) : null,
  )
}

const darkest = 1 / colourUnits
/** Logarithms of red and blue relative to green, and of the brightness. */
export const signalsOf = ([red, green, blue]: Triple): Triple => {
  const [r, g, b] = [red, green, blue].map((value) => Math.log(Math.max(value, darkest))) as unknown as Triple
  return [r - g, b - g, (r + g + b) / 3]
}
