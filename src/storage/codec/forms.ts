/**
 * The stored form of what assessments find. It has words of its own: where a type of `vision` or `assess` changes, the codecs no longer
 * compile until the form has a new version or the change is mapped. Members that a form does not name are not stored.
 */
import * as v from 'valibot'

/** The value of a stored text; `undefined` if it is no JSON. The error of the parser is not passed on, since it quotes the text. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A number. JSON has no NaN, so that is `null` there. */
export const measure = v.pipe(
  v.custom<number | null>((value) => value === null || typeof value === 'number'),
  v.transform((value) => value ?? Number.NaN),
)
export const measureOrNull = v.nullable(v.number())
/** A number that is known in any case: where it is missing, what was stored is damaged. */
export const known = v.number()
const flagOrNull = v.nullable(v.boolean())

const point = v.object({ x: measure, y: measure })
const box = v.object({ x: measure, y: measure, width: measure, height: measure })
export const face = v.object({
  box,
  confidence: measure,
  keypoints: v.object({ rightEye: point, leftEye: point, nose: point, mouth: point }),
})

export const eyes = v.object({ right: point, left: point })

/** What passes or fails a sample. */
export const quality = v.object({
  faceSide: known,
  faceShare: known,
  sharpness: known,
  brightness: known,
  underexposed: known,
  overexposed: known,
  noise: known,
  pose: v.object({ yaw: known, pitch: known, roll: known }),
  eyesHidden: known,
  mouthHidden: known,
  colour: known,
  surroundings: known,
  blockiness: known,
})

export const gesture = v.picklist([
  ...(['eyes', 'smile', 'left', 'right', 'high', 'down'] as const),
  ...(['zoom_in', 'zoom_out', 'scan', 'blank', 'oneshot', 'best'] as const),
])

const gestureFinding = v.object({
  isPerformed: v.boolean(),
  score: measure,
  timeS: measureOrNull,
  peaksS: v.exactOptional(v.array(measure)),
})

const movement = v.variant('status', [
  v.object({
    status: v.literal('measured'),
    frames: known,
    own: measure,
    uncut: measure,
    view: measure,
    tilt: measure,
    recurrence: measureOrNull,
    jumpRecurrence: measureOrNull,
    remainder: measure,
    blendRemainder: measureOrNull,
    light: measure,
  }),
  v.object({ status: v.literal('too_small'), eyesApart: measure }),
  v.object({ status: v.literal('too_few') }),
])

/** What a clip shows beyond its best frame, without gestures and what challenges are measured on. */
export const clipEvidence = v.object({
  frames: known,
  framesWithoutFace: known,
  framesTurned: known,
  movement,
  identity: v.nullable(v.object({ frames: known, facing: known, agreeing: known, distance: measureOrNull })),
  repeatedShare: measure,
  timing: v.nullable(
    v.object({
      declaredS: measureOrNull,
      sameTime: known,
      backSteps: known,
      fastestRate: measureOrNull,
    }),
  ),
})

/** Whole numbers, as a list that is one of many. */
const wholes = v.array(v.number())

export const clip = v.object({
  ...clipEvidence.entries,
  gestures: v.object({
    eyes: gestureFinding,
    smile: gestureFinding,
    left: gestureFinding,
    right: gestureFinding,
    high: gestureFinding,
    down: gestureFinding,
    zoom_in: gestureFinding,
    zoom_out: gestureFinding,
    scan: gestureFinding,
    blank: gestureFinding,
    oneshot: gestureFinding,
    best: gestureFinding,
  }),
  light: v.exactOptional(v.array(v.object({ timeS: known, segment: known, share: known, colours: wholes }))),
  approach: v.exactOptional(
    v.object({
      depths: v.array(known),
      frames: v.array(v.object({ timeS: known, segment: known, share: known, places: wholes })),
    }),
  ),
})

const points = v.array(point)

/** How findings came about. */
export const sampleDetail = v.object({
  width: measure,
  height: measure,
  timeS: measureOrNull,
  faces: v.array(face),
  outline: v.nullable(
    v.object({
      faceOval: points,
      rightEye: points,
      leftEye: points,
      rightBrow: points,
      leftBrow: points,
      noseBridge: points,
      noseBase: points,
      lips: points,
      mouth: points,
    }),
  ),
  pad: v.nullable(
    v.object({
      views: v.array(v.object({ view: v.string(), live: measure, replay: measureOrNull, weight: measure })),
      bias: measure,
      softness: measure,
      reliability: measure,
    }),
  ),
  frames: v.array(
    v.object({
      timeS: measure,
      face: v.nullable(
        v.object({ box, yaw: measure, pitch: measure, eyeOpenness: measure, mouthWidth: measure }),
      ),
      key: v.nullable(
        v.object({ sharpness: measure, shot: measure, attack: measureOrNull, distance: measureOrNull }),
      ),
    }),
  ),
})

const quad = v.tuple([point, point, point, point])
const choice = v.object({ symbol: v.string(), probability: measure })

/** What is read on a picture of a document. */
export const documentReading = v.object({
  zones: v.array(
    v.object({
      lines: v.array(
        v.object({ characters: v.array(v.object({ ...choice.entries, others: v.array(choice) })) }),
      ),
      place: quad,
      isMirrored: v.boolean(),
    }),
  ),
  lines: v.nullable(v.array(v.object({ text: v.string(), confidence: measure, place: quad }))),
  hints: v.object({ isScreen: flagOrNull, isCopy: flagOrNull }),
  doublePageSpread: flagOrNull,
})

/** A value that is only read. */
export type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> }
