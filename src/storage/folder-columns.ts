/** What lists of folders and analyses filter and sort by, by wire name. */
import { type SQL, sql } from 'drizzle-orm'
import type { ListFilter } from '../contract/list-query.ts'
import { type ListColumns, listConditions, metadataLeaves } from './list-conditions.ts'
import { analyses, folderLeaves, folders } from './schema.ts'

export const analysisColumns = {
  analysis_id: { column: analyses.id },
  type: { column: analyses.type },
  state: { column: analyses.state },
  resolution_status: { column: analyses.resolutionStatus },
  system_resolution: { column: analyses.systemResolution },
  time_created: { column: analyses.createdAt },
  time_updated: { column: analyses.updatedAt },
} satisfies ListColumns

/** Folders with an analysis that passes the filter. */
const hasAnalysis =
  (columns: ListColumns) =>
  (filter: ListFilter): SQL => {
    const field = filter.field.replace(/^analyse\./, '')
    const [condition] = listConditions([{ ...filter, field }], columns)
    return sql`exists (select 1 from ${analyses} where ${analyses.folderId} = ${folders.id} and ${condition})`
  }

export const folderColumns = {
  folder_id: { column: folders.id },
  company_id: { column: folders.companyId },
  user_id: { column: folders.userId },
  resolution_status: { column: folders.resolutionStatus },
  system_resolution: { column: folders.systemResolution },
  operator_status: { column: folders.operatorStatus },
  resolution_comment: { column: folders.operatorComment },
  is_cleared: { column: folders.isCleared },
  is_archive: { column: sql`0` },
  time_created: { column: folders.createdAt },
  time_updated: { column: folders.updatedAt },
  meta_data: metadataLeaves(folderLeaves, folders.id),
  search_text: { column: sql`(${folders.id} || ' ' || ${folders.metadata})` },
  'analyse.type': hasAnalysis(analysisColumns),
  'analyse.state': hasAnalysis(analysisColumns),
  'analyse.resolution_status': hasAnalysis(analysisColumns),
  'analyse.time_created': hasAnalysis(analysisColumns),
} satisfies ListColumns
