/** Tracks the subject of a clip from frame to frame and collects the findings of its frames. */
import { orientImage } from '../media/orient-image.ts'
import type { PictureKernel } from '../media/picture-kernel.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import type { VideoFrame } from '../media/video/video-decoder.ts'
import { ApproachRecorder } from '../vision/challenge/approach-record.ts'
import { type LightFrame, recordLight } from '../vision/challenge/light-record.ts'
import { cutPatch, type FacePatch } from '../vision/clip/face-patch.ts'
import { type FaceMoment, findGestures, measureFaceMoment } from '../vision/clip/gestures.ts'
import { eyesApartMin, measureMovement } from '../vision/clip/movement.ts'
import { measurePatchChange } from '../vision/clip/patch-change.ts'
import { meshToFace, presenceMin } from '../vision/clip/track.ts'
import { detectFaces, detectUnturned, orientationAfterTurns } from '../vision/detect.ts'
import { type DetectedFace, type FaceDetector, moveFace } from '../vision/face.ts'
import { outlineFace } from '../vision/face-outline.ts'
import { eyeDistance, type FaceMesh } from '../vision/facemesh.ts'
import type { Box } from '../vision/geometry.ts'
import type { LandmarkMethod } from '../vision/landmarks.ts'
import type { PadEvidence, PadMethod } from '../vision/pad/pad-method.ts'
import { cropBorder } from '../vision/picture-extent.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { measureQuality } from '../vision/quality.ts'
import type { TemplateMethod } from '../vision/templates/template-method.ts'
import type { ClipFindings, FrameDetail, MovementFindings, SampleDetail } from './assessment.ts'
import { ClipIdentity, type CompareTemplates } from './clip-identity.ts'
import { ClipParts } from './clip-parts.ts'
import { keyFrames } from './frame-counts.ts'
import { shotScore } from './shot-score.ts'

export interface TrackerDeps {
  pictures: PictureKernel
  detector: FaceDetector
  landmarks: LandmarkMethod
  /** `null` if not requested. */
  pad: PadMethod | null
  /** For comparing identity between frames; `null` if not requested. */
  template: TemplateMethod | null
  /** Whether to record what steps of a challenge are measured on. */
  challenge: boolean
  compare: CompareTemplates
  /** Compiled from `wasm/registration`. */
  registrationKernel: WebAssembly.Module
  durationS: number
  /** Clockwise quarter turns that make the frames upright, by part of the clip (`ClipParts`); others are found. */
  quarterTurns: readonly (number | null)[]
}

/** A frame that may be the best one. */
interface Shot {
  score: number
  read(): Promise<BestFrame>
}

/** The frame that shows the subject best. */
export interface BestFrame {
  timeS: number
  /** Quarter turns that made it upright. */
  quarterTurns: number
  /** The upright frame in full size. */
  pyramid: Pyramid
  /** In pixels of that picture. */
  face: DetectedFace
  mesh: FaceMesh
}

/** A frame as it was seen; places are in pixels of the upright frame. */
interface SeenFrame {
  timeS: number
  width: number
  face: { moment: FaceMoment; box: Box } | null
  key: { sharpness: number; shot: number; attack: number | null; template: Float32Array | null } | null
}

/** Seconds between two detections, so that a second face is not missed. */
const detectEveryS = 1
/** Maximum turn of a frontal face in degrees. Beyond it, templates and PAD are unreliable. */
const facingTurnMax = 30
const isFacing = ({ yaw, pitch }: { yaw: number; pitch: number }): boolean =>
  Math.hypot(yaw, pitch) <= facingTurnMax

/**
 * Change between two frontal frames from which they count as different pictures. People of the fit clips stay below 0.12 in most
 * clips; lively ones exceed 0.3 in a few frames, which costs a template each.
 */
const cutMin = 0.3

const scaleMesh = ({ points, presence }: FaceMesh, scale: number): FaceMesh => ({
  presence,
  points: points.map(({ x, y, z }) => ({ x: x * scale, y: y * scale, z: z * scale })),
})

const scaleBox = ({ x, y, width, height }: Box, scale: number): Box => ({
  x: x * scale,
  y: y * scale,
  width: width * scale,
  height: height * scale,
})

/** Mean of the middle half of the values: robust against a few blurred or turned frames. */
function interquartileMean(values: readonly number[]): number {
  const sorted = [...values].sort((p, q) => p - q)
  const quarter = Math.floor(sorted.length / 4)
  const middle = sorted.slice(quarter, sorted.length - quarter)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** A loop instead of `every`: a million callbacks for each frame of a frozen clip would dominate its cost. */
function isSamePicture(a: Uint8ClampedArray, b: Uint8ClampedArray): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
  }
  return true
}

function toFrameDetail(
  { timeS, width, face, key }: SeenFrame,
  shownWidth: number,
  distances: ReadonlyMap<Float32Array, number>,
): FrameDetail {
  if (!face) return { timeS, face: null, key: null }
  const { yaw, pitch, eyeOpenness, mouthWidth } = face.moment
  return {
    timeS,
    face: { box: scaleBox(face.box, shownWidth / width), yaw, pitch, eyeOpenness, mouthWidth },
    key: key && {
      sharpness: key.sharpness,
      shot: key.shot,
      attack: key.attack,
      distance: (key.template && distances.get(key.template)) ?? null,
    },
  }
}

export class ClipTracker {
  readonly #deps: TrackerDeps
  readonly #moments: FaceMoment[] = []
  readonly #patches: FacePatch[] = []
  readonly #light: LightFrame[] = []
  readonly #approach = new ApproachRecorder()
  #smallFaces = 0
  #smallEyesApart = 0
  #turnedFrames = 0
  readonly #pads: PadEvidence[] = []
  readonly #identity: ClipIdentity<Shot>
  readonly #parts: ClipParts
  #mesh: FaceMesh | null = null
  #detectedAtS = Number.NEGATIVE_INFINITY
  #nextKeyS = 0
  #skipUntilS = 0
  readonly #detections: DetectedFace[][] = []
  #frames = 0
  #withoutFace = 0
  #repeated = 0
  #last: Uint8ClampedArray | null = null
  readonly #seen: SeenFrame[] = []

  constructor(deps: TrackerDeps) {
    this.#deps = deps
    this.#identity = new ClipIdentity(deps.compare)
    this.#parts = new ClipParts(deps.quarterTurns)
  }

  async addFrame(frame: VideoFrame): Promise<void> {
    this.#frames++
    // Where the size changes, the place of the face is lost.
    if (this.#parts.follow(frame)) this.#mesh = null
    if (this.#last && isSamePicture(this.#last, frame.image.data)) this.#repeated++
    this.#last = frame.image.data
    // Failed detection is the slowest case, so while no face is visible only key frames are analysed.
    const seen = frame.timeS < this.#skipUntilS ? null : await this.#trackFace(frame)
    const shown: SeenFrame = { timeS: frame.timeS, width: 0, face: null, key: null }
    this.#seen.push(shown)
    if (!seen) {
      this.#withoutFace++
      this.#mesh = null
      if (frame.timeS >= this.#skipUntilS) this.#skipUntilS = frame.timeS + this.#deps.durationS / keyFrames
      return
    }
    const { pyramid, mesh } = seen
    this.#mesh = mesh
    const { width, height } = pyramid.image
    const moment = measureFaceMoment(mesh, frame.timeS, Math.min(width, height), this.#parts.segment)
    this.#moments.push(moment)
    shown.width = width
    shown.face = { moment, box: meshToFace(mesh).box }
    if (this.#deps.challenge) {
      this.#light.push(recordLight(pyramid, mesh, moment.timeS, moment.segment))
      this.#approach.add(mesh, pyramid, moment.timeS, moment.segment)
    }
    // A turned face cannot be identified, so its movement is no evidence for this subject.
    const isCut = this.#addPatch(pyramid, mesh, moment)
    if (!isFacing(moment)) this.#turnedFrames++
    if (frame.timeS < this.#nextKeyS) {
      if (isCut) await this.#identify(pyramid, mesh)
      return
    }
    this.#nextKeyS = frame.timeS + this.#deps.durationS / keyFrames
    await this.#confirmDirection(frame, pyramid)
    shown.key = await this.#assessKeyFrame(frame, pyramid, mesh)
  }

  /** Keeps the face for measuring movement. @returns whether it is another picture than in the frontal frame before */
  #addPatch(pyramid: Pyramid, mesh: FaceMesh, moment: FaceMoment): boolean {
    const eyesApart = eyeDistance(mesh)
    if (eyesApart < eyesApartMin) {
      this.#smallFaces++
      this.#smallEyesApart = Math.max(this.#smallEyesApart, eyesApart)
      return false
    }
    if (!isFacing(moment)) return false
    const patch = cutPatch(pyramid, mesh, moment.timeS, moment.segment)
    const before = this.#patches.at(-1)
    this.#patches.push(patch)
    if (before === undefined) return false
    const isOtherSize = before.segment !== patch.segment || before.frameWidth !== patch.frameWidth
    return isOtherSize || measurePatchChange(before, patch) >= cutMin
  }

  /** Compares the identity of a frame that is no key frame: behind a cut there may be another person. */
  async #identify(pyramid: Pyramid, mesh: FaceMesh): Promise<void> {
    const { template } = this.#deps
    if (template) this.#identity.add({ vector: await template.extract(pyramid, mesh) })
  }

  /** The subject's mesh in a frame; `null` if no face is found. */
  async #trackFace(frame: VideoFrame): Promise<{ pyramid: Pyramid; mesh: FaceMesh } | null> {
    const { landmarks } = this.#deps
    const isDue = frame.timeS - this.#detectedAtS >= detectEveryS
    if (this.#mesh && !isDue) {
      const pyramid = new Pyramid(this.#deps.pictures, this.turnUpright(frame))
      const mesh = await landmarks(pyramid, meshToFace(this.#mesh))
      if (mesh.presence >= presenceMin) return { pyramid, mesh }
    }
    return this.#detect(frame)
  }

  async #detect(frame: VideoFrame): Promise<{ pyramid: Pyramid; mesh: FaceMesh } | null> {
    const { detector, landmarks, pictures } = this.#deps
    this.#detectedAtS = frame.timeS
    const { direction } = this.#parts
    const detect = direction.isKnown ? detectUnturned : detectFaces
    const shown = new Pyramid(pictures, this.turnUpright(frame))
    const { pyramid, quarterTurns, faces, mesh } = await detect(detector, landmarks, shown)
    if (!mesh) return null
    // A frame in another direction than its part of the clip shows nothing of the subject.
    if (!direction.add(quarterTurns)) return null
    this.#detections.push(faces)
    return { pyramid, mesh }
  }

  /** Asks whether a frame that was tracked is upright. */
  async #confirmDirection({ timeS }: VideoFrame, pyramid: Pyramid): Promise<void> {
    const { direction } = this.#parts
    if (!direction.isOpen || timeS === this.#detectedAtS) return
    const { quarterTurns, mesh } = await detectFaces(this.#deps.detector, this.#deps.landmarks, pyramid)
    if (mesh) direction.add(quarterTurns)
  }

  /** Rotates a frame so that the subject is upright; unchanged until a face was found. */
  turnUpright({ timeS, image }: Pick<VideoFrame, 'timeS' | 'image'>): RgbaImage {
    return orientImage(image, orientationAfterTurns[this.#parts.turnsAt(timeS)]!)
  }

  async #assessKeyFrame(frame: VideoFrame, pyramid: Pyramid, mesh: FaceMesh): Promise<SeenFrame['key']> {
    const { pad, template } = this.#deps
    const own = cropBorder({ pyramid, face: meshToFace(mesh), mesh })
    const quality = measureQuality(own.pyramid, own.face, own.mesh)
    if (!isFacing(quality.pose)) {
      this.#identity.addTurned(() => this.#keep(frame, mesh, 0))
      return null
    }
    const evidence = pad && (await pad(own.pyramid, own.face, quality))
    if (evidence) this.#pads.push(evidence)
    const look = template && { vector: await template.extract(pyramid, mesh) }
    if (look) this.#identity.add(look)
    const score = shotScore(quality, this.#moments.at(-1)!)
    this.#identity.offer(look, score, () => this.#keep(frame, mesh, score))
    return {
      sharpness: quality.sharpness,
      shot: score,
      attack: evidence?.attack ?? null,
      template: look?.vector ?? null,
    }
  }

  /** Keeps a frame in full size. */
  #keep({ timeS, image, keepFullSize }: VideoFrame, mesh: FaceMesh, score: number): Shot {
    const readFullSize = keepFullSize()
    const quarterTurns = this.#parts.turnsAt(timeS)
    const { width, height } = image
    return {
      score,
      read: async () => {
        const full = orientImage(await readFullSize(), orientationAfterTurns[quarterTurns]!)
        const scale = full.width / (quarterTurns % 2 === 0 ? width : height)
        return {
          timeS,
          quarterTurns,
          pyramid: new Pyramid(this.#deps.pictures, full),
          face: moveFace(meshToFace(mesh), scale, { x: 0, y: 0 }),
          mesh: scaleMesh(mesh, scale),
        }
      },
    }
  }

  /** Reads the frame that shows the subject best; `null` if no frame shows a face. */
  async readBest(): Promise<BestFrame | null> {
    return (await this.#identity.findBest()?.read()) ?? null
  }

  /**
   * Faces of the decisive detection, largest first. Detections are ordered by the height of the second face relative to the
   * first, and the second of them counts: a second person is not missed, and one false detection does not fail the clip.
   */
  get faces(): readonly DetectedFace[] {
    const rivalShare = ([first, second]: readonly DetectedFace[]) =>
      first && second ? second.box.height / first.box.height : 0
    const looks = this.#detections.toSorted((a, b) => rivalShare(b) - rivalShare(a))
    return looks[1] ?? looks[0] ?? []
  }

  /** Distance between the outer corners of the eyes in the last analysed frame, in pixels; `null` if it shows no face. */
  get eyesApart(): number | null {
    return this.#mesh && eyeDistance(this.#mesh)
  }

  /** Quarter turns that more frames of a part need than those by which all were turned; `null` if these were right. */
  get betterTurns(): readonly (number | null)[] | null {
    return this.#parts.betterTurns
  }

  /** Presentation attack detection of the clip: interquartile mean of the key frames. */
  averagePad(): PadEvidence | null {
    if (this.#pads.length === 0) return null
    return {
      attack: interquartileMean(this.#pads.map(({ attack }) => attack)),
      replay: interquartileMean(this.#pads.map(({ replay }) => replay)),
      modelIds: this.#pads[0]!.modelIds,
    }
  }

  #measureMovement(): MovementFindings {
    const movement = measureMovement(this.#patches, this.#deps.registrationKernel)
    if (movement) return { status: 'measured', ...movement }
    return this.#smallFaces > this.#patches.length
      ? { status: 'too_small', eyesApart: this.#smallEyesApart }
      : { status: 'too_few' }
  }

  /** @param best the frame whose picture all places refer to */
  detail({ timeS, pyramid, face, mesh }: BestFrame): SampleDetail {
    const distances = this.#identity.measureDistances()
    return {
      width: pyramid.width,
      height: pyramid.height,
      timeS,
      faces: [face],
      outline: outlineFace(mesh),
      pad: null,
      frames: this.#seen.map((frame) => toFrameDetail(frame, pyramid.width, distances)),
    }
  }

  /** Measures what the frames show together, which takes a good part of the time of a clip. */
  measure(): Omit<ClipFindings, 'timing'> {
    const approach = this.#approach.read()
    return {
      frames: this.#frames,
      framesWithoutFace: this.#withoutFace,
      framesTurned: this.#turnedFrames,
      movement: this.#measureMovement(),
      identity: this.#deps.template && this.#identity.measureAgreement(),
      gestures: findGestures(this.#moments),
      repeatedShare: this.#frames < 2 ? 0 : this.#repeated / (this.#frames - 1),
      ...(approach ? { light: this.#light, approach } : {}),
    }
  }
}
