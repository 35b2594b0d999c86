/** The fields that lists of folders and analyses are filtered and sorted by. */
import { type SQL, sql } from 'drizzle-orm'
import type { ListFilter } from '../../records/list-query.ts'
import { containsText, type ListColumns, listConditions, metadataLeaves } from '../lists/list-conditions.ts'
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

/** A folder's id as text with dashes, in upper case; searches ignore case. */
const folderIdText = sql`(${sql.join(
  [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ].map(([start, length]) => sql`substr(hex(${folders.id}), ${sql.raw(`${start}, ${length}`)})`),
  sql` || '-' || `,
)})`

/**
 * Folders whose id, a space and metadata, joined in this order, contain a text. Formatting the id is slow, so it is skipped
 * for texts that cannot occur in an id.
 */
function containsInIdOrMetadata(filter: ListFilter): SQL {
  if (filter.operator !== 'search') throw new TypeError(`the field ${filter.field} can be searched only`)
  const { value } = filter
  if (value.includes(' ')) return containsText(sql`(${folderIdText} || ' ' || ${folders.metadata})`, value)
  const inMetadata = containsText(folders.metadata, value)
  if (!/^[\da-f-]+$/i.test(value)) return inMetadata
  const digits = containsText(sql`hex(${folders.id})`, value.replaceAll('-', ''))
  return sql`(${inMetadata} or (${digits} and ${containsText(folderIdText, value)}))`
}

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
  searchText: containsInIdOrMetadata,
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
