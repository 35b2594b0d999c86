/** Gestures that a face performs in a clip: the mesh of each frame compared with the neutral position in the same clip. */
import { type FaceMesh, type MeshPoint, meshIndex } from '../facemesh.ts'
import { distance } from '../geometry.ts'
import { estimateHeadPose } from '../pose.ts'
import { quantile } from './quantile.ts'
import { groupBySegment } from './segments.ts'

/** Gestures that the tags `video_selfie_*` may request. Left and right are the subject's. */
export const gestureNames = [
  'eyes',
  'smile',
  'left',
  'right',
  'high',
  'down',
  'zoom_in',
  'zoom_out',
  'scan',
  'blank',
  'oneshot',
  'best',
] as const
export type GestureName = (typeof gestureNames)[number]

/** Measures of the face in one frame. */
export interface FaceMoment {
  timeS: number
  /** Opening of the lids relative to the eye's width, mean of both eyes. */
  eyeOpenness: number
  /** Width of the mouth relative to the distance between the outer corners of the eyes. */
  mouthWidth: number
  /** Degrees; positive to the subject's left and upwards. */
  yaw: number
  pitch: number
  /** Distance between the outer corners of the eyes, corrected for yaw, relative to the frame's shorter side. */
  size: number
  /** Which part of the clip it is from, if the shape of the frames changes: sizes of one part are comparable. */
  segment: number
}

export interface GestureFinding {
  isPerformed: boolean
  /** Extent of the movement; from 1 on it counts as performed. */
  score: number
  /** Time of the peak in seconds; `null` if there are no frames to measure. */
  timeS: number | null
  /** Times of all movements that count as performed, in order; absent for gestures that require nothing but a face. */
  peaksS?: readonly number[]
}

export type GestureFindings = Record<GestureName, GestureFinding>

export function measureFaceMoment(
  mesh: FaceMesh,
  timeS: number,
  shorterSide: number,
  segment: number,
): FaceMoment {
  const at = (name: keyof typeof meshIndex) => mesh.points[meshIndex[name]]!
  const { yaw, pitch } = estimateHeadPose(mesh)
  const between =
    distance(at('rightEyeOuter'), at('leftEyeOuter')) / Math.max(0.3, Math.cos((yaw * Math.PI) / 180))
  const open = (upper: MeshPoint, lower: MeshPoint, outer: MeshPoint, inner: MeshPoint) =>
    distance(upper, lower) / distance(outer, inner)
  return {
    timeS,
    eyeOpenness:
      (open(at('rightLidUpper'), at('rightLidLower'), at('rightEyeOuter'), at('rightEyeInner')) +
        open(at('leftLidUpper'), at('leftLidLower'), at('leftEyeOuter'), at('leftEyeInner'))) /
      2,
    mouthWidth: distance(at('mouthRight'), at('mouthLeft')) / between,
    yaw,
    pitch,
    size: between / shorterSide,
    segment,
  }
}

/**
 * Required extent of each movement relative to the neutral position: about twice what the mesh shows for still pictures that
 * are held, panned and turned (`docs/research.md`).
 */
const thresholds = {
  /** Decrease of the eye opening, relative to its usual value. */
  lids: 0.45,
  /** Relative increase of the mouth's width. */
  mouth: 0.2,
  yawDegrees: 15,
  pitchDegrees: 13,
  /** Relative change of the face's size. */
  growth: 0.3,
  scanDegrees: 25,
}

/** Median of three frames for each measure, so that one bad mesh is no gesture. Eye opening is kept: blinks are too short. */
function smoothMoments(moments: readonly FaceMoment[]): FaceMoment[] {
  return moments.map((moment, i) => {
    const near = moments.slice(Math.max(0, i - 1), i + 2)
    const median = (pick: (moment: FaceMoment) => number) => quantile(near.map(pick), 0.5)
    return {
      ...moment,
      mouthWidth: median(({ mouthWidth }) => mouthWidth),
      yaw: median(({ yaw }) => yaw),
      pitch: median(({ pitch }) => pitch),
      size: median(({ size }) => size),
    }
  })
}

/** Frames that reach this share of the maximum belong to the peak. */
const peakShare = 0.98

/** The maximum of a measure, and the time of the middle frame among those at the maximum. */
function findTop(
  moments: readonly FaceMoment[],
  reach: (moment: FaceMoment) => number,
): { score: number; timeS: number | null } {
  const score = Math.max(0, ...moments.map(reach))
  const top = moments.filter((moment) => reach(moment) >= score * peakShare)
  return { score, timeS: (top[top.length >> 1] ?? moments[0])?.timeS ?? null }
}

/** The peak of each run of frames in which a measure reaches 1. */
function findPeaks(moments: readonly FaceMoment[], reach: (moment: FaceMoment) => number): number[] {
  const peaks: number[] = []
  for (let start = 0; start < moments.length; start++) {
    let end = start
    while (end < moments.length && reach(moments[end]!) >= 1) end++
    if (end > start) peaks.push(findTop(moments.slice(start, end), reach).timeS!)
    start = end
  }
  return peaks
}

function findPeak(moments: readonly FaceMoment[], reach: (moment: FaceMoment) => number): GestureFinding {
  const { score, timeS } = findTop(moments, reach)
  return { isPerformed: score >= 1, score, timeS, peaksS: findPeaks(moments, reach) }
}

/** A blink: the eyes close and open again. Eyes that stay closed until the end are no blink. */
function findBlink(moments: readonly FaceMoment[]): GestureFinding {
  const usual = quantile(
    moments.map(({ eyeOpenness }) => eyeOpenness),
    0.6,
  )
  const closed = findPeak(moments, ({ eyeOpenness }) => (1 - eyeOpenness / usual) / thresholds.lids)
  const opensAfter = (closedS: number | null) =>
    closedS !== null && moments.some(({ timeS, eyeOpenness }) => timeS > closedS && eyeOpenness > usual * 0.8)
  return {
    ...closed,
    isPerformed: closed.isPerformed && opensAfter(closed.timeS),
    peaksS: closed.peaksS!.filter(opensAfter),
  }
}

/** Relative to the beginning of the clip, or of the part of it whose frames have this shape. */
function findGrowth(moments: readonly FaceMoment[], direction: 1 | -1): GestureFinding {
  const starts = new Map<number, number>()
  for (const [segment, ofSegment] of groupBySegment(moments)) {
    const quarter = Math.max(1, ofSegment.length >> 2)
    const sizes = ofSegment.slice(0, quarter).map(({ size }) => size)
    starts.set(segment, quantile(sizes, 0.5))
  }
  return findPeak(moments, ({ size, segment }) => {
    const start = starts.get(segment)!
    return (direction === 1 ? size / start - 1 : start / size - 1) / thresholds.growth
  })
}

/** Evaluates every gesture. The neutral ones (`blank`, `oneshot`, `best`) only require a face. */
export function findGestures(seen: readonly FaceMoment[]): GestureFindings {
  const moments = smoothMoments(seen)
  const rest = (pick: (moment: FaceMoment) => number, share = 0.5) => quantile(moments.map(pick), share)
  const [yaw, pitch] = [rest(({ yaw }) => yaw), rest(({ pitch }) => pitch)]
  const narrowMouth = rest(({ mouthWidth }) => mouthWidth, 0.2)
  // On a turned head the mouth's width is unreliable: the mouth lies nearer to the camera than the eyes it is measured by.
  const facing = moments.filter((moment) => Math.abs(moment.yaw - yaw) < thresholds.yawDegrees)
  const yaws = moments.map((moment) => moment.yaw)
  const sweep = yaws.length === 0 ? 0 : (Math.max(...yaws) - Math.min(...yaws)) / thresholds.scanDegrees
  const first = moments[0] ?? null
  const neutral = { isPerformed: first !== null, score: first ? 1 : 0, timeS: first?.timeS ?? null }
  return {
    eyes: findBlink(seen),
    smile: findPeak(facing, ({ mouthWidth }) => (mouthWidth / narrowMouth - 1) / thresholds.mouth),
    left: findPeak(moments, (moment) => (moment.yaw - yaw) / thresholds.yawDegrees),
    right: findPeak(moments, (moment) => (yaw - moment.yaw) / thresholds.yawDegrees),
    high: findPeak(moments, (moment) => (moment.pitch - pitch) / thresholds.pitchDegrees),
    down: findPeak(moments, (moment) => (pitch - moment.pitch) / thresholds.pitchDegrees),
    zoom_in: findGrowth(moments, 1),
    zoom_out: findGrowth(moments, -1),
    scan: {
      ...findPeak(moments, (moment) => Math.abs(moment.yaw - yaw)),
      score: sweep,
      isPerformed: sweep >= 1,
    },
    blank: neutral,
    oneshot: neutral,
    best: neutral,
  }
}
