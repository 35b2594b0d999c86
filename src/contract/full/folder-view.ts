import type { FolderRecord } from '../../folders/folder-record.ts'
import type { Json } from '../spaced-json.ts'
import { analysisView } from './analysis-view.ts'
import { mediumView, seconds, type ViewOptions } from './media-view.ts'

/** A folder with its media and analyses, in the contract's names and order. */
export function folderView(folder: FolderRecord, options: ViewOptions): Json {
  return {
    folder_id: folder.id,
    company_id: folder.companyId,
    user_id: folder.userId,
    group_id: options.variant === 'full' ? (folder.analyses[0]?.groupId ?? null) : null,
    time_created: seconds(folder.createdAtMs),
    time_updated: seconds(folder.updatedAtMs),
    resolution_endpoint: folder.resolutionEndpoint,
    resolution_status: folder.result.resolutionStatus,
    system_resolution: folder.result.systemResolution,
    resolution_comment: '',
    resolution_time: null,
    resolution_author_id: null,
    resolution_state_hash: null,
    operator_status: null,
    operator_comment: null,
    is_cleared: null,
    is_archive: false,
    meta_data: folder.metadata as Json,
    technical_meta_data: {},
    media: folder.media.map((medium) => mediumView(folder, medium, options)),
    analyses: folder.analyses.map((analysis) => analysisView(folder, analysis, options)),
  }
}
