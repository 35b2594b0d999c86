/**
 * Measures whether a face moves by itself, or whether only a picture of it moves through the frame.
 *
 * If a flat picture is panned, zoomed, rotated or tilted, any two of its views are related by a homography. A real face has
 * depth, and its lids, lips and skin move. So all frames are aligned to a reference frame by the homography that fits the
 * rigid parts. What still differs in lids, lips or the rigid parts counts as own movement, after subtracting what noise and
 * residual misalignment of edges explain. Stills that software warps or shades also show own movement. To detect them, each
 * frame is additionally warped smoothly and relit to match the reference: for a still almost nothing remains, for a person
 * something does, because lids and lips cover and uncover things. Photos that fade into each other are found by the fading: see
 * `blend.ts`.
 */
import { distance } from '../geometry.ts'
import { measureBlend } from './blend.ts'
import { eyesApartInPatch, type FacePatch } from './face-patch.ts'
import { type FaceZones, rigidPoints, type Zone } from './face-zones.ts'
import { applyHomography, fitHomography } from './homography.ts'
import { quantile } from './quantile.ts'
import { measureJumpRecurrence, measureRecurrence } from './recurrence.ts'
import { FaceRegistration, type RegisteredFace } from './registration.ts'
import { groupBySegment } from './segments.ts'
import { measureViewMovement, type ViewMovement } from './view-movement.ts'

export interface Movement extends ViewMovement {
  /** Frames that could be aligned. */
  frames: number
  /**
   * Own movement of the face: mean squared difference of lids, lips or the rigid parts from the reference, noise subtracted.
   * Unrelated pictures differ by 2.
   */
  own: number
  /** The same within parts of the clip without a cut: photos that follow each other move, but not by themselves. */
  uncut: number
  /** How exactly the movement repeats: 0 means exactly, people have about 1 and more; `null` if too little moves. */
  recurrence: number | null
  /** The same measure for sudden changes in the eyes or the mouth. */
  jumpRecurrence: number | null
  /** What remains of `own` after removing smooth bends and shading: almost nothing for a still. */
  remainder: number
  /** What remains of large changes after removing the best crossfade of the frames around them; `null` if there are none. */
  blendRemainder: number | null
  /** How unevenly the light changes over the face: median over the frames of the standard deviation of the log gain. */
  light: number
}

const framesMin = 5
/** Maximum number of frames that are tried as the reference. */
const referencesMax = 10
/** Share of a zone that must be visible in a frame. */
const zoneSeenMin = 0.7
/** Minimum eye distance in pixels of the analysed frame; smaller faces (below about 85 pixels) show too little of lids and lips. */
export const eyesApartMin = 38

/** The frame whose mesh is related to most other meshes by nearly a homography. */
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

/** Mean of values over the pixels of a zone that are visible in frame and reference; `null` if these are too few. */
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

/** Own movement in one frame, by part of the face. */
interface OwnMovement {
  mouth: number | null
  /** Of the eye that changes less, because both lids close together. */
  eyes: number | null
  rigid: number | null
}

/** A frame with which others are compared. */
interface Reference {
  chip: Float32Array
  isSeen: Uint8Array
  /** Squared gradient, smoothed. */
  steepness: Float32Array
  /** The smooth half of the rigid parts, and the half with edges. */
  halves: readonly [Zone, Zone]
}

type Frame = Pick<RegisteredFace, 'chip' | 'isSeen'>

function toReference({ chip, isSeen }: Frame, { rigid }: FaceZones, steepness: Float32Array): Reference {
  const median = quantile(
    Array.from(rigid, (at) => steepness[at]!),
    0.5,
  )
  const halves = [
    rigid.filter((at) => steepness[at]! <= median),
    rigid.filter((at) => steepness[at]! > median),
  ] as const
  return { chip, isSeen, steepness, halves }
}

function measureOwnMovement(frame: Frame, reference: Reference, zones: FaceZones): OwnMovement {
  const { steepness, chip, halves } = reference
  const isSeen = (at: number) => frame.isSeen[at] === 1 && reference.isSeen[at] === 1
  const difference = (at: number) => (frame.chip[at]! - chip[at]!) ** 2
  const mean = (zone: Zone) => meanOverZone(zone, isSeen, difference)
  const steep = (zone: Zone) => meanOverZone(zone, isSeen, (at) => steepness[at]!)
  const [even, edged] = halves
  const [evenMean, edgedMean, evenSteep, edgedSteep] = [mean(even), mean(edged), steep(even), steep(edged)]
  const nothing = { mouth: null, eyes: null, rigid: mean(zones.rigid) }
  if (evenMean === null || edgedMean === null || evenSteep === null || edgedSteep === null) return nothing
  // Misalignment shows at edges, noise everywhere.
  const shift = Math.max(0, (edgedMean - evenMean) / Math.max(edgedSteep - evenSteep, 1e-6))
  const noise = Math.max(0, evenMean - shift * evenSteep)
  const beyond = (zone: Zone) => {
    const [value, edges] = [mean(zone), steep(zone)]
    return value === null || edges === null ? null : value - noise - shift * edges
  }
  const eyes = [beyond(zones.rightEye), beyond(zones.leftEye)].filter((value) => value !== null)
  return { ...nothing, mouth: beyond(zones.mouth), eyes: eyes.length === 0 ? null : Math.min(...eyes) }
}

/** Quantile for lips and depth: speech changes many of the frames. */
const lastingShare = 0.9
/** Gain for the rigid parts: depth changes them less than opening changes the lips. */
const depthGain = 1.3
/** Share of the frames that must be aligned, and share of these that must show mouth and eyes. */
const laidMin = 0.6
const shownMin = 0.5

const dropNulls = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

/** Change that a tenth of the frames exceed; 0 without measured frames. */
const measureLastingChange = (values: readonly (number | null)[]): number => {
  const seen = dropNulls(values)
  return seen.length === 0 ? 0 : quantile(seen, lastingShare)
}

/** Quantile for blinks in short clips; it ignores single badly aligned frames. */
const briefShare = 0.97

/** A blink lasts 100 to 400 ms in clips of any length, so the largest change in two consecutive frames counts as well. */
function measureBriefChange(values: readonly (number | null)[]): number {
  const inARow = values.slice(1).map((value, i) => Math.min(value ?? 0, values[i] ?? 0))
  const seen = dropNulls(values)
  return Math.max(seen.length === 0 ? 0 : quantile(seen, briefShare), ...inARow)
}

/** The largest change of lips, lids and depth. */
const measureChange = (movements: readonly OwnMovement[], depthGain: number): number =>
  Math.max(
    0,
    measureLastingChange(movements.map(({ mouth }) => mouth)),
    measureBriefChange(movements.map(({ eyes }) => eyes)),
    depthGain * measureLastingChange(movements.map(({ rigid }) => rigid)),
  )

/**
 * Mean squared difference of the rigid parts of two frames beside each other from which they may be different pictures. Less of it is
 * no own movement, which counts from 0.16 and is `depthGain` times as much. In clips of people a head that turns fast differs by more.
 */
const cutMin = 0.123
/** Shorter runs tell nothing: in two frames nothing but a change from one to the next shows, and a few of many may be another photo. */
const runFramesMin = 3
const runShareMin = 1 / 8
/** Maximum number of frames that are tried as the reference of a run. */
const runReferencesMax = 10

/** Mean squared difference of the rigid parts; `Infinity` if they are not visible in both frames. */
const compareRigid = (a: Frame, b: Frame, { rigid }: FaceZones): number =>
  meanOverZone(
    rigid,
    (at) => a.isSeen[at] === 1 && b.isSeen[at] === 1,
    (at) => (a.chip[at]! - b.chip[at]!) ** 2,
  ) ?? Number.POSITIVE_INFINITY

/** Runs of frames without a cut; one frame or more each. */
function splitAtCuts(faces: readonly RegisteredFace[], zones: FaceZones): RegisteredFace[][] {
  const runs: RegisteredFace[][] = []
  for (const [i, face] of faces.entries()) {
    const before = faces[i - 1]
    if (before && compareRigid(before, face, zones) < cutMin) runs.at(-1)!.push(face)
    else runs.push([face])
  }
  return runs
}

/** The frame of a run that differs least from most others. */
function pickRunReference(run: readonly RegisteredFace[], registration: FaceRegistration): Reference {
  const { zones } = registration
  const step = Math.ceil(run.length / runReferencesMax)
  let best = { face: run[0]!, apart: Number.POSITIVE_INFINITY }
  for (let i = 0; i < run.length; i += step) {
    const face = run[i]!
    const aparts = run.filter((other) => other !== face).map((other) => compareRigid(face, other, zones))
    const apart = aparts.length === 0 ? 0 : quantile(aparts, 0.5)
    if (apart < best.apart) best = { face, apart }
  }
  return toReference(best.face, zones, registration.computeSteepness(best.face.chip))
}

/**
 * The largest own movement within a run without a cut; 0 if all runs are too short to measure it.
 * @param movements of all frames, relative to the reference of the clip
 */
function measureUncut(
  faces: readonly RegisteredFace[],
  movements: readonly OwnMovement[],
  registration: FaceRegistration,
): number {
  const { zones } = registration
  const runs = splitAtCuts(faces, zones)
  if (runs.length === 1) return measureChange(movements, depthGain)
  const longRuns = runs.filter((run) => run.length >= Math.max(runFramesMin, runShareMin * faces.length))
  const ofRuns = longRuns.map((run) => {
    const reference = pickRunReference(run, registration)
    return measureChange(
      run.map((face) => measureOwnMovement(face, reference, zones)),
      depthGain,
    )
  })
  return Math.max(0, ...ofRuns)
}

/** Movement through the frame: the largest of the parts whose frames have one shape, since between them only the frame changes. */
function measureView(
  faces: readonly RegisteredFace[],
  patches: readonly FacePatch[],
  reference: FacePatch,
): ViewMovement {
  const parts = [...groupBySegment(faces)].map(([segment, ofSegment]) => {
    const isOwn = reference.segment === segment
    const { toFrame, frameWidth } = isOwn ? reference : patches.find((patch) => patch.segment === segment)!
    const scale = reference.frameWidth / frameWidth
    const eyesApart = eyesApartInPatch * Math.hypot(toFrame.a, toFrame.b) * scale
    return measureViewMovement(
      ofSegment.map((face) => face.toFrame),
      eyesApart,
    )
  })
  return {
    view: Math.max(...parts.map(({ view }) => view)),
    tilt: Math.max(...parts.map(({ tilt }) => tilt)),
  }
}

/**
 * Measures the movement of a face over a clip.
 * @param patches the face in the frames of the clip, in order of time
 * @param kernel compiled from `wasm/registration`
 * @returns `null` if too few patches can be aligned, show mouth and eyes, or show the parts of the face that most others show
 */
export function measureMovement(patches: readonly FacePatch[], kernel: WebAssembly.Module): Movement | null {
  if (patches.length < framesMin) return null
  const reference = pickReference(patches)
  const registration = new FaceRegistration(kernel, reference)
  if (registration.zones.rigid.length === 0) return null
  const faces = patches.map((patch) => registration.register(patch)).filter((face) => face !== null)
  if (faces.length < Math.max(framesMin, laidMin * patches.length)) return null
  const { zones } = registration
  const ofReference = toReference(registration, zones, registration.steepness)
  const movements = faces.map((face) => measureOwnMovement(face, ofReference, zones))
  const shown = movements.filter(
    ({ mouth, eyes, rigid }) => mouth !== null && eyes !== null && rigid !== null,
  )
  const blend = measureBlend(faces, zones.face)
  if (shown.length < Math.max(framesMin, shownMin * faces.length) || blend.frames < shownMin * faces.length)
    return null
  const { mouth, rightEye, leftEye } = zones
  const eyes = Uint16Array.from([...rightEye, ...leftEye])
  return {
    frames: faces.length,
    own: measureChange(movements, depthGain),
    uncut: measureUncut(faces, movements, registration),
    recurrence: measureRecurrence(faces, [mouth, eyes]),
    jumpRecurrence: measureJumpRecurrence(faces, [mouth, eyes]),
    remainder: measureChange(
      faces.map(({ unbent }) => measureOwnMovement(unbent, ofReference, zones)),
      1,
    ),
    blendRemainder: blend.remainder,
    light: quantile(
      faces.map(({ unbent }) => unbent.light),
      0.5,
    ),
    ...measureView(faces, patches, reference),
  }
}
