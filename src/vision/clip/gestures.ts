/** Which gestures a face performs in a clip, told from the mesh of each frame against the clip's own rest. */
import { type FaceMesh, type MeshPoint, meshIndex } from '../facemesh.ts'
import { distance } from '../geometry.ts'
import { estimateHeadPose } from '../pose.ts'
import { quantile } from './quantile.ts'

/** What the tags `video_selfie_*` may ask for. Left and right are the subject's. */
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

/** What one frame says about the face's movements. */
export interface FaceMoment {
  timeS: number
  /** Opening of the lids relative to the eye's width, mean of both eyes. */
  eyeOpenness: number
  /** Width of the mouth relative to the distance between the outer corners of the eyes. */
  mouthWidth: number
  /** Degrees; to the subject's left and upwards positive. */
  yaw: number
  pitch: number
  /** Distance between the outer corners of the eyes, turned heads corrected, relative to the picture's shorter side. */
  size: number
}

export interface GestureFinding {
  isPerformed: boolean
  /** How far the movement went, 1 where it counts as performed. */
  score: number
  /** When it was at its peak; `null` where there is no such movement. */
  timeS: number | null
}

export type GestureFindings = Record<GestureName, GestureFinding>

export function measureFaceMoment(mesh: FaceMesh, timeS: number, shorterSide: number): FaceMoment {
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
  }
}

/**
 * How far each movement must go from the clip's rest: about twice what the mesh makes of stills of the pictures fitted on
 * that were held, panned and turned (`docs/liveness.md`).
 */
const thresholds = {
  /** Share of their usual opening that the lids lose. */
  lids: 0.45,
  /** Share by which the mouth gets wider. */
  mouth: 0.2,
  yawDegrees: 15,
  pitchDegrees: 13,
  /** Share by which the face grows. */
  growth: 0.3,
  scanDegrees: 25,
}

/** Each measure as the median of three frames, so that a mesh that slips once makes no gesture. Blinks are too short for it. */
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

/** What reaches this share of the peak belongs to it. */
const peakShare = 0.98

/** How much of what is wanted a measure reaches at most, and the middle of the frames where it does. */
function findPeak(moments: readonly FaceMoment[], reach: (moment: FaceMoment) => number): GestureFinding {
  const score = Math.max(0, ...moments.map(reach))
  const top = moments.filter((moment) => reach(moment) >= score * peakShare)
  return { isPerformed: score >= 1, score, timeS: (top[top.length >> 1] ?? moments[0])?.timeS ?? null }
}

/** A blink: lids that close and open again, so that eyes closed to the end are none. */
function findBlink(moments: readonly FaceMoment[]): GestureFinding {
  const usual = quantile(
    moments.map(({ eyeOpenness }) => eyeOpenness),
    0.6,
  )
  const closed = findPeak(moments, ({ eyeOpenness }) => (1 - eyeOpenness / usual) / thresholds.lids)
  const opensAgain = moments.some(
    ({ timeS, eyeOpenness }) => closed.timeS !== null && timeS > closed.timeS && eyeOpenness > usual * 0.8,
  )
  return { ...closed, isPerformed: closed.isPerformed && opensAgain }
}

function findGrowth(moments: readonly FaceMoment[], direction: 1 | -1): GestureFinding {
  const quarter = Math.max(1, moments.length >> 2)
  const start = quantile(
    moments.slice(0, quarter).map(({ size }) => size),
    0.5,
  )
  return findPeak(
    moments,
    ({ size }) => (direction === 1 ? size / start - 1 : start / size - 1) / thresholds.growth,
  )
}

/** Every gesture as performed or not. The neutral ones ask for nothing but a face. */
export function findGestures(seen: readonly FaceMoment[]): GestureFindings {
  const moments = smoothMoments(seen)
  const rest = (pick: (moment: FaceMoment) => number, share = 0.5) => quantile(moments.map(pick), share)
  const [yaw, pitch] = [rest(({ yaw }) => yaw), rest(({ pitch }) => pitch)]
  const narrowMouth = rest(({ mouthWidth }) => mouthWidth, 0.2)
  // On a turned head the mouth's width says nothing: it lies before the eyes that it is measured by.
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
