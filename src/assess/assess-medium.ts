/** Step 1 for any medium. */

import type { Engine } from '../inference/engine.ts'
import type { DocumentNetworks, Profile, ProfileName } from '../inference/manifest.ts'
import { describeMedia, listPictures, refuseFile } from '../media/accepted-media.ts'
import { nameFile } from '../media/archive/archive-directory.ts'
import type { ArchiveMemory } from '../media/archive/frame-archive.ts'
import { countFiles, unpackArchive } from '../media/archive/unpack-archive.ts'
import type { ImageLimits } from '../media/decode-image.ts'
import { threadBudget } from '../media/header-cursor.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import { type ArchiveMedium, type OpenedMedium, openMedium } from '../media/opened-medium.ts'
import { readClipHeader } from '../media/video/formats/registry.ts'
import type { VideoDecoder, VideoLimits } from '../media/video/video-decoder.ts'
import { assessClip } from './assess-clip.ts'
import { type ImageAssessor, openImageAssessor } from './assess-image.ts'
import type { Assessment, AssessmentRequest } from './assessment.ts'
import { openProfileMethods, startStopwatch } from './assessor-deps.ts'
import type { CompareTemplates } from './clip-identity.ts'
import type { Md5 } from './shots.ts'

/** Assesses one medium at a time. */
export type MediumAssessor = (medium: OpenedMedium, wanted: AssessmentRequest) => Promise<Assessment>

export interface MediumAssessorDeps {
  engine: Engine
  /** Runs the networks of `documents`, and opens them for that. */
  lazyEngine: Engine
  documents: DocumentNetworks
  profileName: ProfileName
  profile: Profile
  codecs: ImageCodecs
  md5: Md5
  limits: ImageLimits
  /** Milliseconds of a monotonic clock. */
  monotonicMs: () => number
  /** Compares the frames of a clip, to check that they show one person. */
  compare: CompareTemplates
  decoder: VideoDecoder
  /** As of `ClipOpener`. */
  workedMs?: () => number
  /** Compiled from `wasm/registration`; aligns the faces of a clip. */
  registrationKernel: WebAssembly.Module
  videoLimits: VideoLimits
  /** Limits of archives of frames, where memory is short. */
  archiveMemory?: ArchiveMemory
}

/** An archive of one picture is assessed as that picture; only the file that was sent is the archive. The picture has a link of its own, and needs no preview. */
async function assessOnlyPicture(
  { archiveMemory, md5, monotonicMs }: Pick<MediumAssessorDeps, 'archiveMemory' | 'md5' | 'monotonicMs'>,
  assessImage: ImageAssessor,
  archive: ArchiveMedium,
  wanted: AssessmentRequest,
): Promise<Assessment> {
  const watch = startStopwatch(monotonicMs)
  const [picture] = await watch.stage('decode', () => unpackArchive(archive, archiveMemory?.unpackedBytesMax))
  const medium = openMedium(picture!.bytes, threadBudget())
  const assessed = await assessImage(medium, { ...wanted, preview: false }, watch).catch((error: unknown) => {
    throw nameFile(error, picture!.name)
  })
  const { source, ...found } = assessed
  const { width, height } = source
  const { bytes, format } = archive
  const file = { size: bytes.length, md5: await watch.stage('shots', () => md5(bytes)) }
  return { ...found, source: { mimeType: format, width, height, ...file, frames: 1 } }
}

/** The assessor throws the errors of `openImageAssessor` and `assessClip`, and `media_unreadable` for headers without end. */
export function openMediumAssessor({ engine, profile, ...others }: MediumAssessorDeps): MediumAssessor {
  const methods = openProfileMethods(engine, profile)
  const { lacking } = others.codecs
  const deps = { methods, ...others, limits: { ...others.limits, lacking } }
  const assessImage = openImageAssessor(deps)
  return async (medium, wanted) => {
    if (medium.kind === 'other')
      throw refuseFile(medium, describeMedia(deps.decoder.reads, listPictures(lacking)))
    if (medium.kind === 'picture') return assessImage(medium, wanted)
    if (medium.kind === 'archive' && countFiles(medium) === 1)
      return assessOnlyPicture(deps, assessImage, medium, wanted)
    if (medium.kind === 'clip' && medium.header === 'long')
      readClipHeader(medium.format, medium.bytes, threadBudget())
    return assessClip(deps, medium, wanted)
  }
}
