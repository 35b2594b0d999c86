import { hashState } from '../../records/decision.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Json } from '../spaced-json.ts'
import { analysisView, declineReason } from './analysis-view.ts'
import { mediumView, seconds, secondsOrNull, type ViewOptions } from './media-view.ts'

/** Optional parts of a folder's view. */
interface FolderExtras {
  /** Analyses are shown unless this is false. */
  analyses?: boolean
  /** Media are shown unless this is false. */
  media?: boolean
  user?: Json
  company?: Json
}

/** Why the first analysis that was declined was; `null` for none. */
const findDeclineReason = ({ analyses }: FolderRecord): string | null =>
  analyses.map(declineReason).find((reason) => reason !== null) ?? null

/** A folder in the format of the contract, names and order included. */
export function folderView(
  folder: FolderRecord,
  options: ViewOptions,
  { analyses = true, media = true, user, company }: FolderExtras = {},
): Json {
  const full = options.variant === 'full'
  const { review, result } = folder
  const heads = folder.heads ?? folder.analyses
  const newest = heads.at(-1)
  const staged = heads.flatMap(({ sandbox: name }) => name ?? [])
  const sandbox = staged.findLast((name) => name !== 'success') ?? staged[0]
  return {
    folder_id: folder.id,
    company_id: folder.companyId,
    user_id: folder.userId,
    group_id: full ? (newest?.groupId ?? null) : null,
    time_created: seconds(folder.createdAtMs),
    time_updated: seconds(folder.updatedAtMs),
    resolution_endpoint: folder.resolutionEndpoint,
    resolution_status: result.resolutionStatus,
    system_resolution: result.systemResolution,
    resolution_comment: review.comment ?? '',
    resolution_time: secondsOrNull(review.atMs),
    resolution_author_id: review.authorId,
    resolution_state_hash: full ? hashState(heads, review) : null,
    operator_status: review.status,
    operator_comment: review.comment,
    is_cleared: folder.isCleared ? true : null,
    is_archive: false,
    meta_data: folder.metadata as Json,
    technical_meta_data: sandbox ? { sandbox } : {},
    ...(media ? { media: folder.media.map((medium) => mediumView(folder, medium, options)) } : {}),
    ...(analyses
      ? {
          analyses: folder.analyses.map((analysis) => analysisView(folder, analysis, options)),
          decline_reason: findDeclineReason(folder),
        }
      : {}),
    ...(user === undefined ? {} : { user }),
    ...(company === undefined ? {} : { company }),
  }
}
