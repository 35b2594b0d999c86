/**
 * Whether a face moves by itself, or only the picture of it through the frame.
 *
 * A flat picture that is panned, zoomed, turned or tilted keeps its face: every view of it is a homography of every other. A
 * face has depth, and moves its lids, lips and skin. So the frames are laid on one of them by the homography that fits what is
 * rigid, and what then still differs in lids and lips, or in the rigid parts themselves, is counted beyond what noise and the
 * remaining shift of edges explain. Stills that code bends or shades move by themselves too; what is left of that when each frame is
 * bent smoothly and shaded to look like the reference tells them from people, whose lids and lips hide and show things.
 */
import { distance } from '../geometry.ts'
import { eyesApartInPatch, type FacePatch } from './face-patch.ts'
import { rigidPoints, type Zone } from './face-zones.ts'
import { applyHomography, fitHomography } from './homography.ts'
import { quantile } from './quantile.ts'
import { measureJumpRecurrence, measureRecurrence } from './recurrence.ts'
import { FaceRegistration, type RegisteredFace } from './registration.ts'
import { measureViewMovement, type ViewMovement } from './view-movement.ts'

export interface Movement extends ViewMovement {
  /** Frames that could be laid on each other. */
  frames: number
  /**
   * How much the face changes by itself: mean squared difference of lids, lips or the rigid parts from the
   * reference, where unrelated pictures differ by 2. What noise explains is taken off.
   */
  own: number
  /** How exactly the movement comes back: 0 exactly, about 1 and more for people; `null` where too little moves. */
  recurrence: number | null
  /** The same of what appears and disappears at once, in the eyes or the mouth. */
  jumpRecurrence: number | null
  /** What is left of `own` where smooth bends and shading are taken out: next to nothing for a still. */
  remainder: number
  /** How unevenly the light changes over the face: the middle one of the frames' deviations from the reference, as logarithms. */
  light: number
}

const framesMin = 5
/** Frames that are tried as the reference, at most. */
const referencesMax = 10
/** Share of a zone that a frame must show. */
const zoneSeenMin = 0.7
/** Pixels of a face's eyes, in the frames looked at, below which lids and lips cannot be told: faces of about 85 pixels. */
export const eyesApartMin = 38

/** The frame whose mesh most others are nearly a homography of. */
function pickReference(patches: readonly FacePatch[]): FacePatch {
  const step = Math.max(1, Math.floor(patches.length / referencesMax))
  const candidates = patches.filter((_, i) => i % step === 0)
  const rigid = candidates.map(({ points }) => rigidPoints.map((index) => points[index]!))
  let best = { patch: candidates[0]!, apart: Number.POSITIVE_INFINITY }
  candidates.forEach((patch, i) => {
    const aparts = rigid
      .filter((_, j) => j !== i)
      .map((other) => {
        const map = fitHomography(rigid[i]!, other)
        const distances = rigid[i]!.map((point, k) => distance(applyHomography(map, point), other[k]!))
        return quantile(distances, 0.5)
      })
    const apart = aparts.length === 0 ? 0 : quantile(aparts, 0.5)
    if (apart < best.apart) best = { patch, apart }
  })
  return best.patch
}

/** Mean of values over a zone, of the pixels that both frame and reference show; `null` where these are too few. */
function meanOverZone(
  zone: Zone,
  isSeen: (at: number) => boolean,
  value: (at: number) => number,
): number | null {
  let [sum, count] = [0, 0]
  for (const at of zone) {
    if (!isSeen(at)) continue
    sum += value(at)
    count++
  }
  return count < zoneSeenMin * zone.length || count === 0 ? null : sum / count
}

/** What one frame shows of its own movement. */
interface OwnMovement {
  mouth: number | null
  /** Of the eye that changes less: lids close together. */
  eyes: number | null
  rigid: number | null
}

function measureOwnMovement(
  registration: FaceRegistration,
  frame: Pick<RegisteredFace, 'chip' | 'isSeen'>,
  halves: readonly [Zone, Zone],
): OwnMovement {
  const { zones, steepness, chip } = registration
  const isSeen = (at: number) => frame.isSeen[at] === 1 && registration.isSeen[at] === 1
  const difference = (at: number) => (frame.chip[at]! - chip[at]!) ** 2
  const mean = (zone: Zone) => meanOverZone(zone, isSeen, difference)
  const steep = (zone: Zone) => meanOverZone(zone, isSeen, (at) => steepness[at]!)
  const [even, edged] = halves
  const [evenMean, edgedMean, evenSteep, edgedSteep] = [mean(even), mean(edged), steep(even), steep(edged)]
  const nothing = { mouth: null, eyes: null, rigid: mean(zones.rigid) }
  if (evenMean === null || edgedMean === null || evenSteep === null || edgedSteep === null) return nothing
  // A face that lies a little off differs at its edges; noise is everywhere.
  const shift = Math.max(0, (edgedMean - evenMean) / Math.max(edgedSteep - evenSteep, 1e-6))
  const noise = Math.max(0, evenMean - shift * evenSteep)
  const beyond = (zone: Zone) => {
    const [value, edges] = [mean(zone), steep(zone)]
    return value === null || edges === null ? null : value - noise - shift * edges
  }
  const eyes = [beyond(zones.rightEye), beyond(zones.leftEye)].filter((value) => value !== null)
  return { ...nothing, mouth: beyond(zones.mouth), eyes: eyes.length === 0 ? null : Math.min(...eyes) }
}

/** Share of the frames in which lips and depth change less than they count for: speech is in many of them. */
const lastingShare = 0.9
/** A rigid part that changes by depth changes less than lips that open. */
const depthGain = 1.3
/** Share of the frames that must be laid on each other, and of those the share that must show mouth and eyes. */
const laidMin = 0.6
const shownMin = 0.5

const dropNulls = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

/** How much is outlasted in a tenth of the frames; 0 where nothing was seen. */
const measureLastingChange = (values: readonly (number | null)[]): number => {
  const seen = dropNulls(values)
  return seen.length === 0 ? 0 : quantile(seen, lastingShare)
}

/** In a short clip a blink is a share of the frames, but for one that may be laid on badly. */
const briefShare = 0.97

/** A blink lasts 100 to 400 ms, whatever the length of the clip: also the largest change that two frames in a row show counts. */
function measureBriefChange(values: readonly (number | null)[]): number {
  const inARow = values.slice(1).map((value, i) => Math.min(value ?? 0, values[i] ?? 0))
  const seen = dropNulls(values)
  return Math.max(seen.length === 0 ? 0 : quantile(seen, briefShare), ...inARow)
}

/** The largest of what lids, lips and depth change, lasting or brief. */
const measureChange = (movements: readonly OwnMovement[], depthGain: number): number =>
  Math.max(
    0,
    measureLastingChange(movements.map(({ mouth }) => mouth)),
    measureBriefChange(movements.map(({ eyes }) => eyes)),
    depthGain * measureLastingChange(movements.map(({ rigid }) => rigid)),
  )

/** The rigid zone's even half and its half with edges. */
function splitBySteepness({ zones, steepness }: FaceRegistration): [Zone, Zone] {
  const values = [...zones.rigid].map((at) => steepness[at]!)
  const median = quantile(values, 0.5)
  return [
    zones.rigid.filter((at) => steepness[at]! <= median),
    zones.rigid.filter((at) => steepness[at]! > median),
  ]
}

/**
 * @param patches the face in the frames of a clip, in their order
 * @returns `null` where too few of them could be laid on each other, or show mouth and eyes
 */
export function measureMovement(patches: readonly FacePatch[]): Movement | null {
  if (patches.length < framesMin) return null
  const reference = pickReference(patches)
  const registration = new FaceRegistration(reference)
  if (registration.zones.rigid.length === 0) return null
  const faces = patches.map((patch) => registration.register(patch)).filter((face) => face !== null)
  if (faces.length < Math.max(framesMin, laidMin * patches.length)) return null
  const halves = splitBySteepness(registration)
  const movements = faces.map((face) => measureOwnMovement(registration, face, halves))
  const shown = movements.filter(
    ({ mouth, eyes, rigid }) => mouth !== null && eyes !== null && rigid !== null,
  )
  if (shown.length < Math.max(framesMin, shownMin * faces.length)) return null
  const { toFrame } = reference
  const { mouth, rightEye, leftEye } = registration.zones
  const eyes = Uint16Array.from([...rightEye, ...leftEye])
  const eyesApart = eyesApartInPatch * Math.hypot(toFrame.a, toFrame.b)
  return {
    frames: faces.length,
    own: measureChange(movements, depthGain),
    recurrence: measureRecurrence(faces, [mouth, eyes]),
    jumpRecurrence: measureJumpRecurrence(faces, [mouth, eyes]),
    remainder: measureChange(
      faces.map(({ unbent }) => measureOwnMovement(registration, unbent, halves)),
      1,
    ),
    light: quantile(
      faces.map(({ unbent }) => unbent.light),
      0.5,
    ),
    ...measureViewMovement(
      faces.map((face) => face.toFrame),
      eyesApart,
    ),
  }
}
