/** Step 1 for any medium; the bytes decide whether it is assessed as a photo or as a clip. */

import { sniff } from '../media/sniff.ts'
import { sniffVideo } from '../media/video/sniff-video.ts'
import type { VideoDecoder, VideoLimits } from '../media/video/video-decoder.ts'
import { assessClip } from './assess-clip.ts'
import { openImageAssessor } from './assess-image.ts'
import type { Assessment, AssessmentRequest } from './assessment.ts'
import { type AssessorDeps, openProfileMethods } from './assessor-deps.ts'

/** Assesses one medium at a time. */
export type MediumAssessor = (bytes: Uint8Array, wanted: AssessmentRequest) => Promise<Assessment>

export interface MediumAssessorDeps
  extends Omit<AssessorDeps, 'detector' | 'landmarks' | 'pad' | 'template'> {
  /** `null` if no video decoder is installed. */
  decoder: VideoDecoder | null
  videoLimits: VideoLimits
}

/** True for clips and for archives of frames, which are assessed as clips. */
const isClip = (bytes: Uint8Array): boolean =>
  sniffVideo(bytes) !== null || ['video', 'archive'].includes(sniff(bytes).kind)

/** The assessor throws the errors of `openImageAssessor` and `assessClip`. */
export function openMediumAssessor(deps: MediumAssessorDeps): MediumAssessor {
  const complete = { ...deps, ...openProfileMethods(deps.engine, deps.profile) }
  const assessImage = openImageAssessor(complete)
  return (bytes, wanted) => (isClip(bytes) ? assessClip(complete, bytes, wanted) : assessImage(bytes, wanted))
}
