/** Step 1 for clips: decode once → follow the face → PAD, change, gestures, identity over the frames → best frame → template. */
import { AppError } from '../errors.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import { sniff } from '../media/sniff.ts'
import type { OpenedVideo, VideoDecoder, VideoLimits } from '../media/video/video-decoder.ts'
import { spreadTimes } from '../media/video/video-decoder.ts'
import { faceSide } from '../vision/face.ts'
import { cropBorder } from '../vision/picture-extent.ts'
import { computePicturePrint } from '../vision/picture-print.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { measureQuality } from '../vision/quality.ts'
import { extractTemplate } from '../vision/templates/registry.ts'
import { type AssessorDeps, stopwatch, templateFaceSideMin } from './assess-parts.ts'
import type { Assessment, AssessmentRequest, SubjectAssessment } from './assessment.ts'
import { type BestFrame, ClipTracker } from './clip-tracker.ts'
import { openFrameArchive } from './frame-archive.ts'
import { Preview, previewFrames } from './preview.ts'
import { makeShot, makeThumbnail } from './shots.ts'

export interface ClipDeps extends AssessorDeps {
  /** `null` where no decoder is installed. */
  decoder: VideoDecoder | null
  videoLimits: VideoLimits
}

/** Longer side of the frames that are looked at, and of those in which a small face is looked at. */
const frameSideMax = 640
const closerSideMax = 1280
/** Pixels between the outer corners of the eyes that tell lids and lips well. */
const eyesApartComfortable = 60
/** Share of a clip up to which it is begun again for a small face. */
const lookCloserUntil = 0.25
/** Frames a second that are looked at: lids close for a fifth of a second. */
const framesPerSecond = 12
const framesMax = 100
/** Frames that are read of a clip that nobody looks for faces in: enough for a preview and to know that it can be read. */
const framesForUpload = previewFrames

async function assessSubject(
  parts: ClipDeps,
  tracker: ClipTracker,
  best: BestFrame,
  wanted: AssessmentRequest,
): Promise<SubjectAssessment> {
  const { pyramid, face, mesh } = best
  const own = cropBorder(best)
  const evidence = tracker.pad()
  return {
    quality: measureQuality(own.pyramid, own.face, own.mesh),
    pad: wanted.pad && evidence ? { status: 'assessed', ...evidence } : { status: 'not_run' },
    template: !wanted.template
      ? { status: 'not_run' }
      : faceSide(face) < templateFaceSideMin
        ? { status: 'too_small' }
        : { status: 'extracted', template: await extractTemplate(parts.template, pyramid, mesh) },
  }
}

/** The frame for the thumbnail of a clip that nobody looked for faces in. */
async function firstPicture(video: OpenedVideo, preview: Preview): Promise<Pyramid> {
  const timesS = spreadTimes(video.facts.usedDurationS, framesForUpload)
  let first: Pyramid | null = null
  for await (const frame of video.frames({ timesS, sideMax: frameSideMax })) {
    first ??= new Pyramid(frame.image)
    preview.take(frame)
  }
  if (!first) throw new AppError('media_unreadable', 'The clip has no picture that can be read')
  return first
}

/** Longer side of the frames that show a face large enough; `null` where the clip itself has no larger ones. */
function largerSide(video: OpenedVideo, tracker: ClipTracker, sideMax: number): number | null {
  const { eyesApart } = tracker
  const { width, height } = video.facts
  const side = Math.min(closerSideMax, Math.max(width, height))
  if (eyesApart === null || eyesApart >= eyesApartComfortable || side <= sideMax) return null
  return Math.min(side, Math.round((sideMax * eyesApartComfortable) / eyesApart))
}

async function track(
  parts: ClipDeps,
  video: OpenedVideo,
  wanted: AssessmentRequest,
  preview: Preview,
): Promise<ClipTracker> {
  const durationS = video.facts.usedDurationS
  const count = Math.min(framesMax, Math.max(framesForUpload, Math.round(durationS * framesPerSecond)))
  const timesS = spreadTimes(durationS, count)
  const openTracker = () =>
    new ClipTracker({
      detector: parts.detector,
      landmarks: parts.landmarks,
      pad: wanted.pad ? parts.pad : null,
      template: wanted.template || wanted.pad ? parts.template : null,
      compare: parts.compare,
      durationS,
    })
  let tracker = openTracker()
  let larger: number | null = null
  for await (const frame of video.frames({ timesS, sideMax: frameSideMax })) {
    preview.take(frame)
    await tracker.look(frame)
    larger = frame.timeS < durationS * lookCloserUntil ? largerSide(video, tracker, frameSideMax) : null
    if (larger !== null) break
  }
  if (larger === null) return tracker
  // A small face is looked at from the beginning again, in larger frames.
  tracker = openTracker()
  preview.restart()
  for await (const frame of video.frames({ timesS, sideMax: larger })) {
    preview.take(frame)
    await tracker.look(frame)
  }
  return tracker
}

/** Pictures of an archive have so many pixels at most, counted in whole pictures of the largest size. */
const archivePicturesMax = 4

const openArchive = ({ codecs, limits }: ClipDeps, bytes: Uint8Array): OpenedVideo =>
  openFrameArchive(codecs, bytes, { ...limits, pixelsInAllMax: limits.pixelsMax * archivePicturesMax })

async function openVideo({ decoder, videoLimits }: ClipDeps, bytes: Uint8Array): Promise<OpenedVideo> {
  if (!decoder) throw new AppError('media_unsupported', 'Videos cannot be decoded here')
  return decoder.open(bytes, videoLimits)
}

/**
 * @throws {AppError} `media_unsupported` where clips cannot be decoded here, and as `VideoDecoder`
 */
export async function assessClip(
  parts: ClipDeps,
  bytes: Uint8Array,
  wanted: AssessmentRequest,
): Promise<Assessment> {
  const watch = stopwatch(parts.monotonicMs)
  const isArchive = sniff(bytes).kind === 'archive'
  const video = isArchive ? openArchive(parts, bytes) : await openVideo(parts, bytes)
  try {
    const preview = new Preview(video.facts.usedDurationS)
    const isAsked = wanted.faces || wanted.template || wanted.pad
    const tracker = isAsked ? await watch.stage('frames', () => track(parts, video, wanted, preview)) : null
    const best = tracker?.best ?? null
    const subject =
      tracker && best
        ? await watch.stage('template', () => assessSubject(parts, tracker, best, wanted))
        : null
    const shown = best?.pyramid ?? (await watch.stage('decode', () => firstPicture(video, preview)))
    const clip = tracker ? { ...tracker.findings(), timing: video.facts.timing } : null
    const peakS = wanted.actionShot && clip ? clip.gestures[wanted.actionShot].timeS : null
    const action = peakS === null ? null : await watch.stage('decode', () => video.frameAt(peakS))
    const turnUpright = (image: RgbaImage) => tracker?.turnUpright(image) ?? image
    const shots = await watch.stage('shots', async () => ({
      thumbnail: await makeThumbnail(parts, shown),
      bestShot: wanted.bestShot && subject ? await makeShot(parts, shown) : null,
      snapshot: wanted.snapshot ? await makeShot(parts, shown) : null,
      preview: await preview.make(parts, turnUpright),
      actionShot: action ? await makeShot(parts, new Pyramid(turnUpright(action.image))) : null,
      md5: await parts.md5(bytes),
    }))
    const { width, height, mimeType, durationS, framesPerSecond: rate } = video.facts
    const { md5, ...pictures } = shots
    return {
      profile: parts.profileName,
      source: {
        mimeType,
        width,
        height,
        md5,
        size: bytes.length,
        // An archive of frames says nothing of time.
        ...(isArchive ? {} : { clip: { durationS, framesPerSecond: rate } }),
      },
      quarterTurns: tracker?.quarterTurns ?? 0,
      faces: tracker?.faces ?? [],
      subject,
      clip,
      // An archive of one picture counts as that picture.
      print: isArchive && wanted.template && clip?.frames === 1 ? computePicturePrint(shown) : null,
      ...pictures,
      stageMs: watch.stageMs,
    }
  } finally {
    video.close()
  }
}
