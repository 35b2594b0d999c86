/** Exposure and white balance of a camera, as far as it lets pages see and hold them. */

type Mode = 'exposureMode' | 'whiteBalanceMode'

const modes: readonly Mode[] = ['exposureMode', 'whiteBalanceMode']

/** Members that browsers for phones have, and the types of TypeScript have not. */
interface Extras extends Partial<Record<Mode, unknown>> {
  /** In units of 100 µs. */
  exposureTime?: number
  iso?: number
}

async function setModes(track: MediaStreamTrack, names: readonly Mode[], mode: string): Promise<void> {
  const wished = Object.fromEntries(names.map((name) => [name, mode]))
  // Constraints replace those before, which chose the size. A camera that refuses goes on as it was.
  await track.applyConstraints({ ...track.getConstraints(), advanced: [wished] }).catch(() => {})
}

/**
 * Holds exposure and white balance as they are, so that the camera does not undo what the light of the screen does.
 * @returns a function that leaves them to the camera again
 */
export async function holdExposure(stream: MediaStream): Promise<() => void> {
  const [track] = stream.getVideoTracks()
  const can = (track?.getCapabilities?.() ?? {}) as Extras
  const names = modes.filter((name) => {
    const offered = can[name]
    return Array.isArray(offered) && offered.includes('manual')
  })
  if (!track || names.length === 0) return () => {}
  await setModes(track, names, 'manual')
  return () => void setModes(track, names, 'continuous')
}

/** Usual f-number of cameras in phones, and the constant of light meters for lux (ISO 2720). */
const fNumber = 2
const luxPerExposure = 2.5
const unitsPerSecond = 10_000

/** The light on what the camera sees, in lux, from its exposure; `null` if it does not tell. */
export function estimateLux({ exposureTime, iso }: Extras): number | null {
  if (!exposureTime || !iso) return null
  return (luxPerExposure * fNumber ** 2 * 100) / ((exposureTime / unitsPerSecond) * iso)
}

/** Screens give a face 50 to 200 lux; surroundings many times as bright hide that. */
const luxMax = 2500

/** Whether the surroundings are known to outshine a screen. */
export function isOutshone(stream: MediaStream | null): boolean {
  const settings = stream?.getVideoTracks()[0]?.getSettings() ?? {}
  const lux = estimateLux(settings as Extras)
  return lux !== null && lux > luxMax
}
