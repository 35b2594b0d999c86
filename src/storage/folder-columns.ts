/** What lists of folders and analyses filter and sort by, by wire name. */
import { type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter } from '../contract/list-query.ts'
import { type JsonLeaves, type ListColumns, listConditions, metadataLeaves } from './list-conditions.ts'
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
    const isOfFolder = sql`${analyses.folderId} = ${folders.id} and ${analyses.type} = ${type}`
    return sql`exists (select 1 from ${analyses} where ${isOfFolder} and ${scoreCondition(score, wanted)})`
  },
})

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
  'analyse.results_data': resultLeaves('DOCUMENTS'),
  results_data: resultLeaves('BIOMETRY'),
  results_media_results_data: resultLeaves('QUALITY'),
  'analyse.type': hasAnalysis(analysisColumns),
  'analyse.state': hasAnalysis(analysisColumns),
  'analyse.resolution_status': hasAnalysis(analysisColumns),
  'analyse.time_created': hasAnalysis(analysisColumns),
} satisfies ListColumns
