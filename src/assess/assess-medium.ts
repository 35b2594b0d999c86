/** Step 1 for any medium: what the bytes are decides how they are assessed. */

import { sniff } from '../media/sniff.ts'
import type { VideoDecoder, VideoLimits } from '../media/video/video-decoder.ts'
import { assessClip } from './assess-clip.ts'
import { openImageAssessor } from './assess-image.ts'
import { type AssessorParts, profileMethods } from './assess-parts.ts'
import type { Assessment, Wanted } from './assessment.ts'

/** Assesses one medium at a time. */
export type MediumAssessor = (bytes: Uint8Array, wanted: Wanted) => Promise<Assessment>

export interface MediumAssessorParts extends Omit<AssessorParts, 'finder' | 'method'> {
  /** `null` where no decoder of clips is installed. */
  decoder: VideoDecoder | null
  videoLimits: VideoLimits
}

const clipKinds: ReadonlySet<string> = new Set(['video', 'archive'])

/** The assessor throws as `openImageAssessor` and `assessClip` say. */
export function openMediumAssessor(parts: MediumAssessorParts): MediumAssessor {
  const complete = { ...parts, ...profileMethods(parts.engine, parts.profile) }
  const assessImage = openImageAssessor(complete)
  return (bytes, wanted) =>
    clipKinds.has(sniff(bytes).kind) ? assessClip(complete, bytes, wanted) : assessImage(bytes, wanted)
}
