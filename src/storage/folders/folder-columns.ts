/** What lists of folders and analyses filter and sort by, by wire name. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter } from '../../contract/list-query.ts'
import { bitsOf } from './analysis-summary.ts'
import {
  containsText,
  type JsonLeaves,
  type ListColumns,
  listConditions,
  metadataLeaves,
} from '../lists/list-conditions.ts'
import { analyses, folderLeaves, folders } from '../schema.ts'

export const analysisColumns = {
  analysis_id: { column: analyses.id },
  type: { column: analyses.type },
  state: { column: analyses.state },
  resolution_status: { column: analyses.resolutionStatus },
  system_resolution: { column: analyses.systemResolution },
  time_created: { column: analyses.createdAt },
  time_updated: { column: analyses.updatedAt },
} satisfies ListColumns

/** Folders with an analysis that passes a filter by the words of a list. */
const hasAnalysed =
  (field: Parameters<typeof bitsOf>[0]) =>
  (filter: ListFilter): SQL => {
    if (filter.operator !== 'in' && filter.operator !== 'not_in')
      throw new TypeError(`the field ${filter.field} holds words of a list`)
    const { values, operator } = filter
    const bits = bitsOf(field, (word) => values.includes(word) === (operator === 'in'))
    return sql`(${folders.analysed} & ${bits}) <> 0`
  }

/** Folders with an analysis of a time: of a range, the oldest and the newest tell; another time is looked up. */
function hasAnalysisAt(filter: ListFilter): SQL {
  if (filter.operator === 'min') return sql`${folders.lastAnalysisAt} >= ${filter.value}`
  if (filter.operator === 'max') return sql`${folders.firstAnalysisAt} <= ${filter.value}`
  const [condition] = listConditions([filter], { [filter.field]: { column: analyses.createdAt } })
  return sql`exists (select 1 from ${analyses} where ${analyses.folderNumber} = ${folders.number} and ${condition})`
}

/** Scores of the results as the contract names them, each over the analyses of its type. */
const scores: Record<'BIOMETRY' | 'QUALITY' | 'DOCUMENTS', Record<string, SQL>> = {
  BIOMETRY: {
    max_confidence: sql`(select max(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`,
    min_confidence: sql`(select min(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`,
  },
  QUALITY: {
    confidence_spoofing: sql`json_extract(${analyses.evidence}, '$.worstAttack')`,
  },
  DOCUMENTS: {},
}

function scoreCondition(score: SQL, { comparison, value }: JsonCondition): SQL {
  if (comparison !== '==' && comparison !== '!=') return sql`${score} ${sql.raw(comparison)} ${value}`
  if (value === null) return comparison === '==' ? sql`${score} is null` : sql`${score} is not null`
  const operator = sql.raw(comparison === '==' ? '=' : '<>')
  return sql`cast(${score} as text) ${operator} ${String(value)}`
}

/** Conditions on the results of one type of analyses. There is no index: every such analysis in scope is looked at. */
const resultLeaves = (type: keyof typeof scores): JsonLeaves => ({
  condition(wanted) {
    const path = wanted.path.join('.')
    // Callers name the path: what every object inherits is no score.
    const score = (Object.hasOwn(scores[type], path) && scores[type][path]) || sql`null`
    const isOfFolder = and(eq(analyses.folderNumber, folders.number), eq(analyses.type, type))
    return sql`exists (select 1 from ${analyses} where ${isOfFolder} and ${scoreCondition(score, wanted)})`
  },
})

/** The digits of a folder's id in their groups; case does not count in searches. */
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

/** A text that stands anywhere in the id, a space, and the metadata. Most texts cannot stand in the id, which is slow to write. */
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
  meta_data: metadataLeaves(folderLeaves, folders.number),
  search_text: containsInIdOrMetadata,
  'analyse.results_data': resultLeaves('DOCUMENTS'),
  results_data: resultLeaves('BIOMETRY'),
  results_media_results_data: resultLeaves('QUALITY'),
  'analyse.type': hasAnalysed('type'),
  'analyse.state': hasAnalysed('state'),
  'analyse.resolution_status': hasAnalysed('resolutionStatus'),
  'analyse.time_created': hasAnalysisAt,
} satisfies ListColumns
