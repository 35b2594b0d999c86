/**
 * Curves of a face before a screen that lights it, computed as light, skin and camera make them, without pictures: zone colours as
 * `recordLight` reads them.
 */
import {
  colourUnits,
  type LightFrame,
  type LightRecord,
  type LightZone,
  lightZones,
  toLinear,
} from '../../../src/vision/challenge/light-record.ts'
import { readColour, type ScreenColour } from '../../../src/vision/challenge/screen-light.ts'
import { between, createDrift, normal, type Random } from './random.ts'

/** A part of a scene. */
export interface ScenePart {
  /** Linear colour in ambient light, 0…1. */
  colour: readonly [number, number, number]
  /** Ambient light on it, relative to the mean of the face. */
  ambient: number
  /** Light of the screen on it, relative to a point of the face that looks at the screen. */
  screen: number
}
export type Scene = Readonly<Record<LightZone, ScenePart>>

export interface Surroundings {
  /** Ambient light on the face. */
  lux: number
  /** Light of the white screen on the face. */
  screenLux: number
  framesPerSecond: number
  delayS: number
  /** Time constants of automatic exposure and white balance in seconds; `null` if they are locked. */
  exposureS: number | null
  balanceS: number | null
  /** Deviation of a zone's mean by sensor and coding, as a share. */
  noise: number
  /** Deviation by movement of head and background. */
  movement: number
}

export const drawSurroundings = (random: Random, lux: number): Surroundings => ({
  lux,
  // A phone of 250 to 600 nits and 92 cm² at 28 to 40 cm.
  screenLux: (between(random, 250, 600) * 0.0092) / between(random, 0.28, 0.4) ** 2,
  framesPerSecond: between(random, 7, 12),
  delayS: between(random, 0.05, 0.4),
  exposureS: random() < 0.4 ? null : between(random, 0.2, 1),
  balanceS: random() < 0.4 ? null : between(random, 1, 4),
  noise: between(random, 0.0015, 0.005) * (lux < 50 ? 2 : 1),
  movement: between(random, 0.003, 0.012),
})

/** How the light of the step comes into the picture. */
export type Lighting =
  /** Light on the parts of the scene. */
  | { kind: 'screen' }
  /** Software that multiplies the picture with the colour; `share` by zone. */
  | { kind: 'multiply' | 'blend'; strength: number; share: (zone: LightZone) => number }
  /** A mirror: the screen's light is added, the same everywhere. */
  | { kind: 'reflect'; strength: number }

/** What the page shows around the colours: a light surface. */
const restLight = 0.5

/** What a screen shows some seconds after it began with the first colour. */
function screenAt(colours: readonly ScreenColour[], timeS: number): readonly [number, number, number] {
  let endS = 0
  for (const { colour, ms } of colours) {
    endS += ms / 1000
    if (timeS >= 0 && timeS < endS) return readColour(colour)
  }
  return [restLight, restLight, restLight]
}

const exposures = 4

/** Mean light during an exposure of 40 ms. */
export function lightAt(colours: readonly ScreenColour[], timeS: number): readonly [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0]
  for (let i = 0; i < exposures; i++) {
    const light = screenAt(colours, timeS - (0.04 * i) / exposures)
    for (let channel = 0; channel < 3; channel++) sum[channel]! += light[channel]! / exposures
  }
  return sum
}

type Colour = [number, number, number]
const mapColour = (change: (channel: number) => number): Colour => [change(0), change(1), change(2)]

/** sRGB value of a linear one, both 0…1. */
export const toCoded = (value: number): number =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055

const targetBrightness = 0.22
const stillZones = new Set<LightZone>(['rightBackground', 'leftBackground', 'top', 'neck'])

/**
 * The record of a clip that begins with the step.
 * @param colours what the screen shows
 */
export function simulateLight(
  scene: Scene,
  colours: readonly ScreenColour[],
  around: Surroundings,
  random: Random,
  lighting: Lighting = { kind: 'screen' },
): LightRecord {
  const { lux, screenLux, framesPerSecond, delayS, exposureS, balanceS, noise, movement } = around
  const totalS = colours.reduce((sum, { ms }) => sum + ms, 0) / 1000 + 1
  // What the camera's matrix makes of the screen's primaries.
  const mixed = [0, 1, 2].map((row) =>
    [0, 1, 2].map((column) => (row === column ? 1 : between(random, 0, 0.08))),
  )
  const drifts = lightZones.map(() => ({
    luma: createDrift(random, 0.85),
    red: createDrift(random, 0.85),
    blue: createDrift(random, 0.85),
  }))
  const sway = createDrift(random, 0.97)
  const frames: LightFrame[] = []
  let exposure = 1
  let balance: Colour = [1, 1, 1]
  let isFirst = true
  const stepS = 1 / 60
  let due = 0
  for (let timeS = -1; timeS < totalS; timeS += stepS) {
    const shown = lightAt(colours, timeS - delayS)
    const light = mapColour((channel) =>
      mixed[channel]!.reduce((sum, share, k) => sum + share * shown[k]!, 0),
    )
    const nearer = 1 + 0.04 * sway()
    const rays = lightZones.map((zone) => {
      const { colour, ambient, screen } = scene[zone]
      if (lighting.kind === 'screen')
        return mapColour(
          (i) =>
            colour[i]! *
            (1 + (screenLux * screen * nearer ** 2 * light[i]!) / (lux * Math.max(0.05, ambient))),
        )
      if (lighting.kind === 'reflect') return mapColour((i) => colour[i]! + lighting.strength * light[i]!)
      const strength = lighting.strength * lighting.share(zone)
      return lighting.kind === 'multiply'
        ? mapColour((i) => colour[i]! * (1 + strength * shown[i]!))
        : mapColour((i) =>
            toLinear(toCoded(Math.min(1, colour[i]!)) * (1 - strength) + toCoded(shown[i]!) * strength),
          )
    })
    // Software that lays a tint over a clip does so after the camera.
    const isCamera = lighting.kind === 'screen' || lighting.kind === 'reflect'
    const mean = mapColour((i) => rays.reduce((sum, ray) => sum + ray[i]!, 0) / rays.length)
    const brightness = (mean[0] + mean[1] + mean[2]) / 3
    const wanted = targetBrightness / brightness
    const grey = mapColour((i) => (brightness / mean[i]!) ** 0.5)
    if (isFirst) {
      exposure = wanted
      balance = grey
      isFirst = false
    }
    if (isCamera && exposureS !== null) exposure += (wanted - exposure) * (1 - Math.exp(-stepS / exposureS))
    if (isCamera && balanceS !== null)
      balance = mapColour((i) => balance[i]! + (grey[i]! - balance[i]!) * (1 - Math.exp(-stepS / balanceS)))
    if (timeS < due) continue
    due = Math.max(due, timeS - stepS) + 1 / framesPerSecond
    // Frames are lost.
    if (random() < 0.05 || timeS < -0.3) continue
    const values = lightZones.flatMap((zone, at) => {
      const moved = movement * (stillZones.has(zone) ? 3 : 1)
      const drift = drifts[at]!
      const [luma, red, blue] = [drift.luma() * moved, (drift.red() * moved) / 4, (drift.blue() * moved) / 4]
      return mapColour((i) => {
        const gain = 1 + luma + (i === 0 ? red : i === 2 ? blue : 0) + noise * normal(random)
        return Math.round(
          Math.max(0, Math.min(1, rays[at]![i]! * exposure * balance[i]! * gain)) * colourUnits,
        )
      })
    })
    frames.push({ timeS, segment: 0, share: 0.45 * nearer, colours: values })
  }
  return frames
}
