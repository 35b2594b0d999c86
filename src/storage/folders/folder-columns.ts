/** The fields that lists of folders and analyses are filtered and sorted by. */
import { type SQL, sql } from 'drizzle-orm'
import type { ListFilter } from '../../records/list-query.ts'
import {
  containsInIdOrMetadata,
  type ListColumns,
  listConditions,
  metadataLeaves,
} from '../lists/list-conditions.ts'
import { analyses, folderLeaves, folders } from '../schema.ts'
import { analysisConditions, isAnalysisFilter, resultFilters } from './analysis-filters.ts'

export const analysisColumns = {
  id: { column: analyses.id },
  type: { column: analyses.type },
  state: { column: analyses.state },
  resolutionStatus: { column: analyses.resolutionStatus },
  systemResolution: { column: analyses.systemResolution },
  createdAt: { column: analyses.createdAt },
  updatedAt: { column: analyses.updatedAt },
} satisfies ListColumns

export const folderColumns = {
  id: { column: folders.id },
  companyId: { column: folders.companyId },
  userId: { column: folders.userId },
  resolutionStatus: { column: folders.resolutionStatus },
  systemResolution: { column: folders.systemResolution },
  operatorStatus: { column: folders.operatorStatus },
  operatorComment: { column: folders.operatorComment },
  isCleared: { column: folders.isCleared },
  isArchive: { column: sql`0` },
  createdAt: { column: folders.createdAt },
  updatedAt: { column: folders.updatedAt },
  metadata: metadataLeaves(folderLeaves, folders.number),
  searchText: containsInIdOrMetadata(folders),
  ...resultFilters,
} satisfies ListColumns

/**
 * Conditions on folders. The filters on analyses hold of one analysis; every other filter stands for itself.
 * @param columns the columns of a folder, or copies of them in another table
 */
export const folderConditions = (
  filters: readonly ListFilter[],
  columns: ListColumns = folderColumns,
): SQL[] => [
  ...listConditions(
    filters.filter((filter) => !isAnalysisFilter(filter)),
    columns,
  ),
  ...analysisConditions(filters.filter(isAnalysisFilter)),
]
