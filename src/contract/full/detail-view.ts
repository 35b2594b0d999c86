/** How the result of an analysis came about, for answers to requests with `detail`. The names are our own, not part of the contract. */
import type { FrameDetail, SampleDetail, StageTimes } from '../../assess/assessment.ts'
import { sampleBounds } from '../../decide/sample.ts'
import type { DocumentReading } from '../../documents/reading.ts'
import type { AnalysedMedium, ChallengeDetail, MediumDetail } from '../../records/analysis.ts'
import type { DetectedFace } from '../../vision/face.ts'
import type { FaceOutline } from '../../vision/face-outline.ts'
import type { Box, Point } from '../../vision/geometry.ts'
import type { PadParts } from '../../vision/pad/pad-method.ts'
import type { Json } from '../spaced-json.ts'
import { round } from './media-view.ts'

const pointView = ({ x, y }: Point): Json => [round(x, 1), round(y, 1)]

const boxView = ({ x, y, width, height }: Box): Json => [x, y, width, height].map((value) => round(value, 1))

const faceView = ({ box, confidence, keypoints }: DetectedFace): Json => ({
  box: boxView(box),
  confidence: round(confidence),
  keypoints: {
    right_eye: pointView(keypoints.rightEye),
    left_eye: pointView(keypoints.leftEye),
    nose: pointView(keypoints.nose),
    mouth: pointView(keypoints.mouth),
  },
})

const landmarksView = (outline: FaceOutline): Json => ({
  face_oval: outline.faceOval.map(pointView),
  right_eye: outline.rightEye.map(pointView),
  left_eye: outline.leftEye.map(pointView),
  right_brow: outline.rightBrow.map(pointView),
  left_brow: outline.leftBrow.map(pointView),
  nose_bridge: outline.noseBridge.map(pointView),
  nose_base: outline.noseBase.map(pointView),
  lips: outline.lips.map(pointView),
  mouth: outline.mouth.map(pointView),
})

const networksView = ({ views, bias, softness, reliability }: PadParts): Json => ({
  views: views.map(({ view, live, replay, weight }) => ({
    view,
    live: round(live),
    replay: replay === null ? null : round(replay),
    weight: round(weight),
  })),
  bias: round(bias),
  softness: round(softness),
  reliability: round(reliability),
})

const frameView = ({ timeS, face, key }: FrameDetail): Json => ({
  time: round(timeS, 3),
  box: face && boxView(face.box),
  ...(face
    ? {
        yaw: round(face.yaw, 1),
        pitch: round(face.pitch, 1),
        eye_openness: round(face.eyeOpenness, 3),
        mouth_width: round(face.mouthWidth, 3),
      }
    : {}),
  ...(key
    ? {
        sharpness: round(key.sharpness),
        shot_score: round(key.shot, 3),
        ...(key.attack === null ? {} : { attack: round(key.attack) }),
        ...(key.distance === null ? {} : { normalised_distance: round(key.distance, 3) }),
      }
    : {}),
})

const timingsView = (stageMs: StageTimes): Json =>
  Object.fromEntries(Object.entries(stageMs).map(([stage, ms]) => [stage, round(ms, 1)]))

const pictureView = ({ width, height, timeS, faces, outline, pad, frames }: SampleDetail): Json => ({
  width,
  height,
  time: timeS === null ? null : round(timeS, 3),
  faces: faces.map(faceView),
  landmarks: outline && landmarksView(outline),
  ...(pad ? { networks: networksView(pad) } : {}),
  ...(frames.length > 0 ? { frames: frames.map(frameView) } : {}),
})

/** Lines of a page that are shown. */
const linesMax = 300

const documentView = ({ zones, lines }: DocumentReading): Json => ({
  // As read, before check digits corrected anything.
  zones: zones.map((zone) => ({
    place: zone.place.map(pointView),
    lines: zone.lines.map(({ characters }) => characters.map(({ symbol }) => symbol).join('')),
    mirrored: zone.isMirrored,
  })),
  lines:
    lines?.slice(0, linesMax).map((line) => ({
      place: line.place.map(pointView),
      text: line.text,
      confidence: round(line.confidence, 3),
    })) ?? null,
})

const challengeView = ({ steps, light, approach }: ChallengeDetail): Json => ({
  steps: steps.map(({ asked, performed: { fromS, toS, shown, isSoft, isSkipped } }) => ({
    ...(asked.type === 'colours'
      ? { type: asked.type, colours: asked.colours.map(({ colour, ms }) => ({ colour, ms })) }
      : { type: asked.type, from: asked.from, to: asked.to }),
    // The first colour may be on the screen later than its step begins.
    shown: [round(shown?.[0]?.[0] ?? fromS, 6), round(toS, 6)],
    soft: isSoft === true,
    skipped: isSkipped === true,
  })),
  light: light.map(({ timeS, segment, share, colours }) => [
    ...[round(timeS, 6), segment, round(share, 6)],
    ...colours,
  ]),
  approach: approach && {
    depths: approach.depths,
    frames: approach.frames.map(({ timeS, segment, share, places }) => [
      ...[round(timeS, 6), segment, round(share, 6)],
      ...places,
    ]),
  },
})

/** Bounds of a usable sample, by the measures of `quality`. Outside of them a sample is `poor`. */
const qualityBounds: Json = {
  face_side: { min: sampleBounds.faceSideMin },
  sharpness: { min: sampleBounds.sharpnessMin },
  brightness: { min: sampleBounds.brightnessMin, max: sampleBounds.brightnessMax },
  underexposed: { max: sampleBounds.underexposedMax },
  overexposed: { max: sampleBounds.overexposedMax },
  noise: { max: sampleBounds.noiseMax },
  colour: { min: sampleBounds.colourMin },
  surroundings: { min: sampleBounds.surroundingsMin },
  blockiness: { max: sampleBounds.blockinessMax },
}

/** @param details in the order of `media`; `[]` before the analysis has run */
export const detailsView = (
  media: readonly Pick<AnalysedMedium, 'mediumId'>[],
  details: readonly MediumDetail[],
): Json => ({
  quality_bounds: qualityBounds,
  media: details.map(({ sample, parts, document, challenge, stageMs }, place) => ({
    media_id: media[place]?.mediumId ?? null,
    score_parts: parts,
    picture: sample && pictureView(sample),
    ...(document === undefined ? {} : { document: document && documentView(document) }),
    ...(challenge ? { challenge: challengeView(challenge) } : {}),
    timings: stageMs && timingsView(stageMs),
  })),
})
