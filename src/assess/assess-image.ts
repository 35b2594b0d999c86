import { inspectImage, openImage } from '../media/decode-image.ts'
import { pictureFormat } from '../media/formats/registry.ts'
import type { OpenedMedium } from '../media/opened-medium.ts'
import type { PictureHeader } from '../media/picture-header.ts'
import type { PictureSource } from '../media/picture-source.ts'
import type { RgbaImage } from '../media/rgba-image.ts'
import { presenceMin } from '../vision/clip/track.ts'
import { type Detection, detectAgain, detectFaces } from '../vision/detect.ts'
import { type DetectedFace, faceSide } from '../vision/face.ts'
import { outlineFace, placeEyes } from '../vision/face-outline.ts'
import type { FaceMesh } from '../vision/facemesh.ts'
import { fitTiltedFace, type LandmarkMethod } from '../vision/landmarks.ts'
import type { PadParts } from '../vision/pad/pad-method.ts'
import { cropBorder, type PicturedFace } from '../vision/picture-extent.ts'
import { computePicturePrint } from '../vision/picture-print.ts'
import { Pyramid } from '../vision/pyramid.ts'
import { measureQuality } from '../vision/quality.ts'
import { extractTemplate } from '../vision/templates/registry.ts'
import { readDocument } from './assess-document.ts'
import {
  type Assessment,
  type AssessmentRequest,
  type SubjectAssessment,
  templateFaceSideMin,
} from './assessment.ts'
import { type AssessorDeps, type Stopwatch, startStopwatch } from './assessor-deps.ts'
import { makeBestShot, makePortrait, makePreview, makeThumbnail, withThumbnail } from './shots.ts'

/** Assesses one photo at a time. */
export type ImageAssessor = (
  medium: OpenedMedium,
  wanted: AssessmentRequest,
  watch?: Stopwatch,
) => Promise<Assessment>

/** The subject, and what is needed to show how the findings came about. */
interface AssessedSubject {
  subject: SubjectAssessment
  mesh: FaceMesh
  pad: PadParts | null
}

/** The face in its picture without border, where it is detected again if the border may have moved its box. */
async function leaveBorder(
  deps: AssessorDeps,
  pictured: PicturedFace,
  watch: Stopwatch,
): Promise<PicturedFace> {
  const { detector, landmarks } = deps.methods
  const own = await watch.stage('quality', () => cropBorder(pictured))
  if (!own.hasMovedBox) return own
  const { pyramid } = own
  const face = await watch.stage('detect', () => detectAgain(detector, pyramid, own.face))
  const mesh = await watch.stage('landmarks', () => fitTiltedFace(landmarks, pyramid, face))
  return { pyramid, face, mesh: mesh.presence < presenceMin ? own.mesh : mesh }
}

async function assessSubject(
  deps: AssessorDeps,
  { pyramid, mesh: fitted }: Detection,
  face: DetectedFace,
  wanted: AssessmentRequest,
  watch: Stopwatch,
): Promise<AssessedSubject> {
  const mesh = await watch.stage('landmarks', () =>
    fitTiltedFace(deps.methods.landmarks, pyramid, face, fitted),
  )
  const own = await leaveBorder(deps, { pyramid, face, mesh }, watch)
  const quality = await watch.stage('quality', () => measureQuality(own.pyramid, own.face, own.mesh))
  const subject: SubjectAssessment = {
    eyes: placeEyes(mesh, pyramid),
    quality,
    pad: { status: 'not_run' },
    template: { status: 'not_run' },
  }
  let pad: PadParts | null = null
  if (wanted.pad) {
    const { parts = null, ...evidence } = await watch.stage('pad', () =>
      deps.methods.pad(own.pyramid, own.face, quality),
    )
    subject.pad = { status: 'assessed', ...evidence }
    pad = parts
  }
  if (wanted.template) {
    subject.template =
      faceSide(face) < templateFaceSideMin
        ? { status: 'too_small' }
        : {
            status: 'extracted',
            template: await watch.stage('template', () =>
              extractTemplate(deps.methods.template, pyramid, mesh),
            ),
          }
  }
  return { subject, mesh, pad }
}

/** A picture that is decoded where it is looked at: this counts as decoding, in whichever stage it happens. */
const timeDecoding = (picture: RgbaImage | PictureSource, watch: Stopwatch): RgbaImage | PictureSource =>
  'data' in picture
    ? picture
    : {
        width: picture.width,
        height: picture.height,
        firstLevel: picture.firstLevel,
        decode: (level) => watch.innerStage('decode', () => picture.decode(level)),
        pick: (level, columns, rows) => watch.innerStage('decode', () => picture.pick(level, columns, rows)),
      }

/** Faces that are shown: a picture of a crowd would fill the answer. */
const facesShownMax = 20

/**
 * Step 1 for photos: decode → orient → detect → landmarks → quality → PAD, template → shots.
 *
 * The assessor throws `AppError` `media_unsupported` or `media_unreadable` for bad input, and `engine_unavailable` if the
 * inference runtime fails.
 */
export function openImageAssessor(deps: AssessorDeps): ImageAssessor {
  const { codecs, limits } = deps
  async function assessPicture(
    file: { bytes: Uint8Array; header: PictureHeader },
    decoded: Pyramid,
    wanted: AssessmentRequest,
    watch: Stopwatch,
  ): Promise<Assessment> {
    const { bytes, header } = file
    const { detector } = deps.methods
    const landmarks: LandmarkMethod = (place, face) =>
      watch.stage('landmarks', () => deps.methods.landmarks(place, face))
    const found =
      wanted.faces || wanted.template || wanted.pad
        ? await watch.stage('detect', () => detectFaces(detector, landmarks, decoded))
        : { pyramid: decoded, quarterTurns: 0, faces: [], mesh: null }
    const { pyramid, quarterTurns, faces } = found
    const [largest] = faces
    const assessed = largest ? await assessSubject(deps, found, largest, wanted, watch) : null
    const subject = assessed?.subject ?? null
    const documentWanted = wanted.document
    const document = documentWanted
      ? await watch.stage('document', () => readDocument(deps, decoded, documentWanted))
      : undefined
    const isTurned = quarterTurns > 0
    const upright = () => makeBestShot(deps, file, pyramid, isTurned)
    // A photo that was turned only now has another thumbnail.
    const best = () => (isTurned && !wanted.thumbnail ? withThumbnail(deps, pyramid, upright()) : upright())
    const { thumbnail, bestShot, snapshot, portrait, preview, print, md5 } = await watch.stage(
      'shots',
      async () => ({
        thumbnail: wanted.thumbnail ? await makeThumbnail(deps, pyramid) : null,
        bestShot: wanted.bestShot && subject ? await best() : null,
        snapshot: wanted.snapshot ? await upright() : null,
        preview: wanted.preview ? await makePreview(deps, file, decoded) : null,
        portrait: wanted.portrait && largest ? await makePortrait(deps, pyramid, largest.box) : null,
        print: wanted.template ? computePicturePrint(pyramid) : null,
        md5: await deps.md5(bytes),
      }),
    )
    return {
      profile: deps.profileName,
      source: {
        mimeType: pictureFormat(header.format).mimeType,
        width: pyramid.width,
        height: pyramid.height,
        size: bytes.length,
        md5,
      },
      quarterTurns,
      faces,
      subject,
      clip: null,
      ...(document ? { document } : {}),
      print,
      ...(wanted.detail && assessed
        ? {
            detail: {
              width: pyramid.width,
              height: pyramid.height,
              timeS: null,
              faces: faces.slice(0, facesShownMax),
              outline: outlineFace(assessed.mesh),
              pad: assessed.pad,
              frames: [],
            },
          }
        : {}),
      thumbnail,
      bestShot,
      snapshot,
      portrait,
      preview,
      actionShot: null,
      cropped: null,
      stageMs: watch.stageMs,
    }
  }

  return async (medium, wanted, watch = startStopwatch(deps.monotonicMs)) => {
    const { bytes } = medium
    const header = await watch.stage('decode', () => inspectImage(medium, limits))
    const { picture, close } = await watch.stage('decode', () => openImage(codecs, bytes, header, limits))
    try {
      return await assessPicture(
        { bytes, header },
        new Pyramid(codecs.pictures, timeDecoding(picture, watch)),
        wanted,
        watch,
      )
    } finally {
      close()
    }
  }
}
