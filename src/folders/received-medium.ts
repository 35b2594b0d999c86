/** Media of a request: their records, their findings and the files to store. */
import type { Assessment, AssessmentRequest, Shot } from '../assess/assessment.ts'
import type { Assessor } from '../assess/assessor.ts'
import { AppError, type ErrorCode, invariant } from '../errors.ts'
import type { Caller } from '../queue/caller.ts'
import type { SubmittedMedium } from '../records/folder.ts'
import {
  codedFacts,
  type MediumRecord,
  mediumFiles,
  originalFacts,
  type ShotKind,
  sampleFacts,
  shotFacts,
  shotFile,
  shotThumbnailFile,
} from '../records/medium.ts'
import type { NewBlob } from './record-files.ts'
import type { AssessedMedium } from './run-analysis.ts'

/** Media are decoded, so that nothing unreadable is stored, and nothing is looked for in them. */
export const decodedOnly = { faces: false, template: false, pad: false, bestShot: false } as const

/** An assessed medium of a request. */
export interface ReceivedMedium extends AssessedMedium {
  assessment: Assessment
  bestShot: Shot | null
  actionShot: Shot | null
  portrait: Shot | null
  /** What is kept: the medium as it was sent, or its beginning if it was too long. */
  bytes: Uint8Array
  wanted: AssessmentRequest
}

/** The call that work is done for. */
export interface CallContext {
  /** Aborted when the caller has disconnected; ends the waiting. */
  signal?: AbortSignal
  /** The caller whose share of the workers is used. */
  caller?: Caller
}

export interface ReceivingDeps {
  assessor: Assessor
  /** Whether the files of calls that store nothing are saved elsewhere; absent: no. */
  savesArtifacts?: boolean
  randomId(): string
}

/** What the media of a request have in common. */
export interface Reception {
  /** Id of the folder or collection that stores them; `null` if nothing is stored. */
  storedIn: string | null
  /** When they were sent: the same for all, so that they are read back in the order of the request. */
  createdAtMs: number
}

/** The codes of media and templates that are refused; others are failures of the service. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  ...(['media_unreadable', 'media_unprocessable', 'media_unsupported', 'value_invalid'] as const),
  ...(['no_face', 'several_faces', 'no_template', 'template_unreadable'] as const),
])

/** Names the part that is refused: a request may have many. The log leaves the name out, as the caller may have chosen it. */
export function nameMedium(error: unknown, key: string): unknown {
  if (!(error instanceof AppError) || !refusals.has(error.code) || error.place !== null) return error
  const { code, message, details, cause } = error
  return new AppError(code, message, { details: { ...details, key_path: key }, place: '*', cause })
}

/**
 * Assesses a medium and makes its record.
 * @throws {AppError} as `Assessor.assess`
 */
async function receiveMedium(
  { assessor, savesArtifacts = false, randomId }: ReceivingDeps,
  submitted: SubmittedMedium,
  wanted: AssessmentRequest,
  { storedIn, createdAtMs }: Reception,
  { signal, caller }: CallContext,
): Promise<ReceivedMedium> {
  const { tags, metadata, originalName, medium, capture } = submitted
  const asked: AssessmentRequest = {
    ...wanted,
    // Each answer describes it; the preview is only linked.
    thumbnail: true,
    preview: wanted.preview ?? (storedIn !== null || savesArtifacts),
    // The steps and frames of a capture are those of the whole clip.
    ...(capture ? { longClip: 'refuse' } : {}),
  }
  const assessment = await assessor.assess(medium, asked, signal, caller)
  invariant(assessment.thumbnail, 'the thumbnail was asked for')
  const id = randomId()
  const original = originalFacts(assessment)
  const record: MediumRecord = {
    id,
    tags,
    metadata,
    originalName,
    createdAtMs,
    updatedAtMs: createdAtMs,
    original,
    thumbnail: codedFacts(assessment.thumbnail),
    sample: wanted.faces ? sampleFacts(assessment) : null,
    files: storedIn === null ? null : mediumFiles(storedIn, id, original),
    ...(capture ? { capture } : {}),
  }
  const { bestShot, actionShot, portrait } = assessment
  const bytes = assessment.cropped ?? medium.bytes
  return { record, assessment, bestShot, actionShot, portrait, bytes, wanted }
}

/**
 * Receives as many media at a time as there are workers, so that one request never fills the queue. If a medium is refused,
 * the assessments that have started are awaited, so that nothing runs after the answer.
 * @param turns the media in groups that are received one after another; default: all in one
 * @throws {AppError} as `receiveMedium`, for the first medium that is refused, with the name of its part
 */
export async function receiveMedia(
  deps: ReceivingDeps,
  media: readonly SubmittedMedium[],
  wantedOf: (medium: SubmittedMedium) => AssessmentRequest,
  reception: Reception,
  call: CallContext,
  turns: readonly (readonly SubmittedMedium[])[] = [media],
): Promise<ReceivedMedium[]> {
  const received: ReceivedMedium[] = []
  let isRefused = false
  const runLane = async (left: SubmittedMedium[]): Promise<void> => {
    for (let medium = left.shift(); medium && !isRefused; medium = left.shift()) {
      try {
        const wanted = wantedOf(medium)
        received[media.indexOf(medium)] = await receiveMedium(deps, medium, wanted, reception, call)
      } catch (error) {
        isRefused = true
        throw nameMedium(error, medium.key)
      }
    }
  }
  for (const turn of turns) {
    const left = [...turn]
    const lanes = Array.from({ length: Math.max(1, deps.assessor.health().workers) }, () => runLane(left))
    for (const result of await Promise.allSettled(lanes)) {
      if (result.status === 'rejected') throw result.reason
    }
  }
  return received
}

type Shots = Pick<Assessment, 'bestShot' | 'actionShot' | 'portrait'>

/** The pictures that an assessment made, as files of the medium. */
export function shotBlobs(
  folderId: string,
  mediumId: string,
  { bestShot, actionShot, portrait }: Shots,
): NewBlob[] {
  const blobs = (kind: ShotKind, shot: Shot | null): NewBlob[] => {
    if (!shot) return []
    const { thumbnail, bytes, mimeType } = shot
    const own = { key: shotFile(folderId, mediumId, kind), bytes, mimeType }
    if (!thumbnail) return [own]
    const key = shotThumbnailFile(folderId, mediumId, kind)
    return [own, { key, bytes: thumbnail.bytes, mimeType: thumbnail.mimeType }]
  }
  return [...blobs('best', bestShot), ...blobs('action', actionShot), ...blobs('portrait', portrait)]
}

/** The properties of these pictures. */
export const describeShots = ({ bestShot, actionShot, portrait }: Shots) => ({
  bestShot: bestShot && shotFacts(bestShot),
  actionShot: actionShot && shotFacts(actionShot),
  portrait: portrait && shotFacts(portrait),
})

/** The files of a stored medium. */
export function listMediumBlobs({ record, assessment, bytes }: ReceivedMedium, folderId: string): NewBlob[] {
  const { files, original } = record
  if (!files) return []
  const { thumbnail, preview } = assessment
  return [
    { key: files.original, bytes, mimeType: original.mimeType },
    ...(thumbnail ? [{ key: files.thumbnail, bytes: thumbnail.bytes, mimeType: thumbnail.mimeType }] : []),
    ...(files.preview && preview
      ? [{ key: files.preview, bytes: preview.bytes, mimeType: preview.mimeType }]
      : []),
    ...shotBlobs(folderId, record.id, assessment),
  ]
}
