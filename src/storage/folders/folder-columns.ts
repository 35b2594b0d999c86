/** The fields that lists of folders and analyses are filtered and sorted by. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter } from '../../records/list-query.ts'
import {
  containsText,
  type JsonLeaves,
  type ListColumns,
  listConditions,
  metadataLeaves,
} from '../lists/list-conditions.ts'
import { analyses, folderLeaves, folders } from '../schema.ts'
import { wordsMask } from './analysis-summary.ts'

export const analysisColumns = {
  id: { column: analyses.id },
  type: { column: analyses.type },
  state: { column: analyses.state },
  resolutionStatus: { column: analyses.resolutionStatus },
  systemResolution: { column: analyses.systemResolution },
  createdAt: { column: analyses.createdAt },
  updatedAt: { column: analyses.updatedAt },
} satisfies ListColumns

/** Folders with an analysis that passes an `in` or `not_in` filter on a field of words. */
const hasAnalysed =
  (field: Parameters<typeof wordsMask>[0]) =>
  (filter: ListFilter): SQL => {
    if (filter.operator !== 'in' && filter.operator !== 'not_in')
      throw new TypeError(`the field ${filter.field} holds words of a list`)
    const { values, operator } = filter
    const bits = wordsMask(field, (word) => values.includes(word) === (operator === 'in'))
    return sql`(${folders.analysed} & ${bits}) <> 0`
  }

/** Folders with an analysis of a time. The stored oldest and newest times answer ranges; exact times are looked up. */
function hasAnalysisAt(filter: ListFilter): SQL {
  if (filter.operator === 'min') return sql`${folders.lastAnalysisAt} >= ${filter.value}`
  if (filter.operator === 'max') return sql`${folders.firstAnalysisAt} <= ${filter.value}`
  const [condition] = listConditions([filter], { [filter.field]: { column: analyses.createdAt } })
  return sql`exists (select 1 from ${analyses} where ${analyses.folderNumber} = ${folders.number} and ${condition})`
}

/** Scores of the results by their contract names, for each type of analysis. */
const scores: Record<'verification' | 'liveness' | 'documents', Record<string, SQL>> = {
  verification: {
    max_confidence: sql`(select max(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`,
    min_confidence: sql`(select min(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`,
  },
  liveness: {
    confidence_spoofing: sql`json_extract(${analyses.evidence}, '$.worstAttack')`,
  },
  documents: {},
}

function scoreCondition(score: SQL, { comparison, value }: JsonCondition): SQL {
  if (comparison !== '==' && comparison !== '!=') return sql`${score} ${sql.raw(comparison)} ${value}`
  if (value === null) return comparison === '==' ? sql`${score} is null` : sql`${score} is not null`
  const operator = sql.raw(comparison === '==' ? '=' : '<>')
  return sql`cast(${score} as text) ${operator} ${String(value)}`
}

/** Conditions on the results of one type of analysis. There is no index: every such analysis in scope is read. */
const resultLeaves = (type: keyof typeof scores): JsonLeaves => ({
  condition(wanted) {
    const path = wanted.path.join('.')
    // Callers choose the path, so inherited members such as `constructor` must not be found.
    const score = (Object.hasOwn(scores[type], path) && scores[type][path]) || sql`null`
    const isOfFolder = and(eq(analyses.folderNumber, folders.number), eq(analyses.type, type))
    return sql`exists (select 1 from ${analyses} where ${isOfFolder} and ${scoreCondition(score, wanted)})`
  },
})

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
  documentResults: resultLeaves('documents'),
  verificationResults: resultLeaves('verification'),
  livenessResults: resultLeaves('liveness'),
  analysisType: hasAnalysed('type'),
  analysisState: hasAnalysed('state'),
  analysisResolution: hasAnalysed('resolutionStatus'),
  analysisCreatedAt: hasAnalysisAt,
} satisfies ListColumns
