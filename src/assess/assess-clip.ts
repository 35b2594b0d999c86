/** Step 1 for clips: decode once → track the face → PAD, movement, gestures, identity over the frames → best frame → template. */
import { AppError } from '../errors.ts'
import { type ArchiveMemory, openFrameArchive } from '../media/archive/frame-archive.ts'
import type { ArchiveMedium, ClipMedium } from '../media/opened-medium.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import type { OpenedVideo, VideoDecoder, VideoFrame, VideoLimits } from '../media/video/video-decoder.ts'
import { spreadTimes } from '../media/video/video-decoder.ts'
import { faceSide } from '../vision/face.ts'
import { placeEyes } from '../vision/face-outline.ts'
import { cropBorder } from '../vision/picture-extent.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { measureQuality } from '../vision/quality.ts'
import { shrinkToSide } from '../vision/resample.ts'
import { extractTemplate } from '../vision/templates/registry.ts'
import {
  type Assessment,
  type AssessmentRequest,
  type SubjectAssessment,
  templateFaceSideMin,
} from './assessment.ts'
import { type AssessorDeps, startStopwatch } from './assessor-deps.ts'
import type { CompareTemplates } from './clip-identity.ts'
import { type BestFrame, ClipTracker } from './clip-tracker.ts'
import { sampledMax, sampledPerSecond } from './frame-counts.ts'
import { type OpenedClip, openClip } from './open-clip.ts'
import { Preview, previewFrames } from './preview.ts'
import { makeFullSizeShot, makeShot, makeThumbnail, withThumbnail } from './shots.ts'

/** A clip is assessed with all that a photo needs; the limits hold for the pictures of an archive. */
export interface ClipDeps extends AssessorDeps {
  /** Compares the frames of a clip, to check that they show one person. */
  compare: CompareTemplates
  decoder: VideoDecoder
  /** Compiled from `wasm/registration`. */
  registrationKernel: WebAssembly.Module
  videoLimits: VideoLimits
  archiveMemory?: ArchiveMemory
}

/** Longer side in pixels of the analysed frames, and its maximum for clips with a small face. */
const frameSideMax = 640
const closerSideMax = 1280
/** Eye distance in pixels from which movements of lids and lips are measured reliably. */
const eyesApartReliable = 60
/** Share of the clip within which the analysis may restart with larger frames. */
const restartShareMax = 0.25
/** Frames read if no faces are requested: enough for a preview, and to verify that the clip can be decoded. */
const framesForUpload = previewFrames

async function assessSubject(
  deps: ClipDeps,
  tracker: ClipTracker,
  best: BestFrame,
  wanted: AssessmentRequest,
): Promise<SubjectAssessment> {
  const { pyramid, face, mesh } = best
  const own = cropBorder(best)
  const evidence = tracker.averagePad()
  return {
    eyes: placeEyes(mesh, pyramid),
    quality: measureQuality(own.pyramid, own.face, own.mesh),
    pad: wanted.pad && evidence ? { status: 'assessed', ...evidence } : { status: 'not_run' },
    template: !wanted.template
      ? { status: 'not_run' }
      : faceSide(face) < templateFaceSideMin
        ? { status: 'too_small' }
        : { status: 'extracted', template: await extractTemplate(deps.methods.template, pyramid, mesh) },
  }
}

/** The frame that is shown if no best frame is known. */
async function readFirstFrame(
  { codecs }: ClipDeps,
  video: OpenedVideo,
  preview: Preview | null,
): Promise<Pyramid> {
  const timesS = spreadTimes(video.facts.usedDurationS, framesForUpload)
  let first: Pyramid | null = null
  for await (const frame of video.frames({ timesS, sideMax: frameSideMax })) {
    first ??= new Pyramid(codecs.pictures, frame.image)
    if (!preview) break
    preview.take(frame)
  }
  if (!first) throw new AppError('media_unreadable', 'The clip has no picture that can be read')
  return first
}

/** Longer side of the frames needed for a sufficiently large face; `null` if the current size suffices or is the largest. */
function chooseLargerSide(video: OpenedVideo, tracker: ClipTracker): number | null {
  const { eyesApart } = tracker
  const { width, height } = video.facts
  const side = Math.min(closerSideMax, Math.max(width, height))
  if (eyesApart === null || eyesApart >= eyesApartReliable || side <= frameSideMax) return null
  return Math.min(side, Math.round((frameSideMax * eyesApartReliable) / eyesApart))
}

/** How the frames of a clip are looked at. */
interface Look {
  sideMax: number
  /** Clockwise quarter turns that make them upright, by part of the clip with frames of one shape; others are found. */
  quarterTurns: readonly (number | null)[]
}

/** How to look at the clip anew; `null` to go on. Directions change at most once, and so does the size. */
function chooseOtherLook(
  video: OpenedVideo,
  tracker: ClipTracker,
  look: Look,
  { timeS }: VideoFrame,
): Look | null {
  const { betterTurns } = tracker
  if (betterTurns && look.quarterTurns.length === 0) return { ...look, quarterTurns: betterTurns }
  const isEarly = timeS < video.facts.usedDurationS * restartShareMax
  const larger = isEarly && look.sideMax === frameSideMax ? chooseLargerSide(video, tracker) : null
  return larger === null ? null : { ...look, sideMax: larger }
}

async function track(
  deps: ClipDeps,
  video: OpenedVideo,
  wanted: AssessmentRequest,
  preview: Preview | null,
): Promise<ClipTracker> {
  const durationS = video.facts.usedDurationS
  const count = Math.min(sampledMax, Math.max(framesForUpload, Math.round(durationS * sampledPerSecond)))
  const timesS = spreadTimes(durationS, count)
  const openTracker = (quarterTurns: Look['quarterTurns']) =>
    new ClipTracker({
      pictures: deps.codecs.pictures,
      detector: deps.methods.detector,
      landmarks: deps.methods.landmarks,
      pad: wanted.pad ? deps.methods.pad : null,
      template: wanted.template || wanted.pad ? deps.methods.template : null,
      challenge: wanted.challenge === true,
      compare: deps.compare,
      registrationKernel: deps.registrationKernel,
      durationS,
      quarterTurns,
    })
  for (let look: Look = { sideMax: frameSideMax, quarterTurns: [] }; ; ) {
    const tracker = openTracker(look.quarterTurns)
    let other: Look | null = null
    for await (const frame of video.frames({ timesS, sideMax: look.sideMax })) {
      preview?.take(frame)
      await tracker.addFrame(frame)
      other = chooseOtherLook(video, tracker, look, frame)
      if (other) break
    }
    if (!other) return tracker
    look = other
    preview?.restart()
  }
}

/** Maximum sum of the pixels of an archive's pictures, as a multiple of `pixelsMax`. */
const archivePicturesMax = 4

const openArchive = ({ codecs, limits, archiveMemory }: ClipDeps, archive: ArchiveMedium): OpenedVideo =>
  openFrameArchive(
    codecs,
    archive,
    { ...limits, ...archiveMemory, pixelsInAllMax: limits.pixelsMax * archivePicturesMax },
    (picture, sideMax) => shrinkToSide(new Pyramid(codecs.pictures, picture), sideMax),
  )

/** An archive of frames has no times. */
async function openAny(
  deps: ClipDeps,
  medium: ClipMedium | ArchiveMedium,
  { longClip }: AssessmentRequest,
): Promise<OpenedClip> {
  if (medium.kind === 'archive') return { video: openArchive(deps, medium), timing: null, cropped: null }
  return openClip(deps, medium, longClip)
}

/**
 * Assesses a clip or an archive of frames.
 * @throws {AppError} as `openClip` and `openFrameArchive`
 */
export async function assessClip(
  deps: ClipDeps,
  medium: ClipMedium | ArchiveMedium,
  wanted: AssessmentRequest,
): Promise<Assessment> {
  const watch = startStopwatch(deps.monotonicMs)
  const isArchive = medium.kind === 'archive'
  const { video, timing, cropped } = await watch.stage('decode', () => openAny(deps, medium, wanted))
  const bytes = cropped ?? medium.bytes
  try {
    const preview = wanted.preview ? new Preview(deps.codecs.pictures, video.facts.usedDurationS) : null
    const needsFaces = wanted.faces || wanted.template || wanted.pad
    const tracker = needsFaces ? await watch.stage('frames', () => track(deps, video, wanted, preview)) : null
    const best = await watch.stage('decode', () => tracker?.readBest() ?? null)
    const subject =
      tracker && best ? await watch.stage('template', () => assessSubject(deps, tracker, best, wanted)) : null
    const shown = best?.pyramid ?? (await watch.stage('decode', () => readFirstFrame(deps, video, preview)))
    const { findings, ...detail } = await watch.stage('movement', () => ({
      findings: tracker?.measure() ?? null,
      ...(wanted.detail && tracker && best ? { detail: tracker.detail(best) } : {}),
    }))
    const clip = findings && { ...findings, timing }
    const gesture = wanted.actionShot && clip ? clip.gestures[wanted.actionShot] : null
    // The peak of a movement that is too small for a gesture shows none.
    const peakS = gesture?.isPerformed ? gesture.timeS : null
    const action = peakS === null ? null : await watch.stage('decode', () => video.frameAt(peakS))
    const turnUpright = (frame: { timeS: number; image: RgbaImage }) =>
      tracker?.turnUpright(frame) ?? frame.image
    const upright = () => makeShot(deps, shown)
    // The thumbnail of a clip that was only kept shows its first frame.
    const bestShot = () => (wanted.thumbnail ? upright() : withThumbnail(deps, shown, upright()))
    const shots = await watch.stage('shots', async () => ({
      thumbnail: wanted.thumbnail ? await makeThumbnail(deps, shown) : null,
      bestShot: wanted.bestShot && subject ? await bestShot() : null,
      snapshot: wanted.snapshot ? await upright() : null,
      preview: preview && (await preview.make(deps, turnUpright)),
      actionShot: action ? await makeFullSizeShot(deps, turnUpright(action)) : null,
      portrait: null,
      md5: await deps.md5(bytes),
    }))
    const { width, height, mimeType, durationS, framesPerSecond, frames } = video.facts
    const { md5, ...pictures } = shots
    return {
      profile: deps.profileName,
      source: {
        mimeType,
        width,
        height,
        md5,
        size: bytes.length,
        ...(isArchive && frames ? { frames } : {}),
        ...(isArchive ? {} : { clip: { durationS, framesPerSecond } }),
      },
      quarterTurns: best?.quarterTurns ?? 0,
      faces: tracker?.faces ?? [],
      subject,
      clip,
      print: null,
      ...(wanted.document ? { document: null } : {}),
      ...detail,
      ...pictures,
      cropped,
      stageMs: watch.stageMs,
    }
  } finally {
    video.close()
  }
}
