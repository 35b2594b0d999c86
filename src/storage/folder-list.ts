/** Lists of folders, each read along the index that has its rows in their order. */
import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter, ListQuery } from '../contract/list-query.ts'
import type { Queries } from './database.ts'
import { folderColumns } from './folder-columns.ts'
import type { FolderRow } from './folder-rows.ts'
import { equalLeaf, type ListColumns, listConditions, listOrder } from './list-conditions.ts'
import { folderLeaves, folders } from './schema.ts'

/** Whose folders a caller may see; `{}` for all. */
export interface Within {
  companyId?: string
  userId?: string
}

/** Rows of a list, `total` over all its pages unless it was not asked for. */
interface FolderPage {
  rows: FolderRow[]
  total: number | null
}

/** What leaves hold of their folder. */
const leafColumns = {
  company_id: { column: folderLeaves.companyId },
  time_created: { column: folderLeaves.createdAt },
} satisfies ListColumns

/** Of several conditions on the metadata the rarest leads; leaves are counted up to this. */
const rarityMax = 20_000

const equalitiesOf = (filters: readonly ListFilter[]): JsonCondition[] =>
  filters
    .flatMap((filter) =>
      filter.field === 'meta_data' && filter.operator === 'json' ? filter.conditions : [],
    )
    .filter(({ comparison, value }) => comparison === '==' && value !== null)

/** The condition that the fewest leaves fulfil: a field of the metadata equals a value. */
async function rarest(queries: Queries, equalities: readonly JsonCondition[]): Promise<JsonCondition | null> {
  const [first = null] = equalities
  if (equalities.length < 2) return first
  const counted = await Promise.all(
    equalities.map(async (equality) => {
      const leaves = queries
        .select({ one: sql`1`.as('one') })
        .from(folderLeaves)
        .where(equalLeaf(folderLeaves, equality))
        .limit(rarityMax)
        .as('leaves')
      const [few] = await queries.select({ leaves: count() }).from(leaves)
      return { equality, leaves: few?.leaves ?? 0 }
    }),
  )
  return counted.sort((a, b) => a.leaves - b.leaves)[0]?.equality ?? first
}

/** The filters without one condition. */
const without = (filters: readonly ListFilter[], taken: JsonCondition): ListFilter[] =>
  filters
    .map((filter) =>
      filter.operator === 'json'
        ? { ...filter, conditions: filter.conditions.filter((condition) => condition !== taken) }
        : filter,
    )
    .filter((filter) => filter.operator !== 'json' || filter.conditions.length > 0)

/** Along the folders. */
async function listPlain(queries: Queries, query: ListQuery, within: Within): Promise<FolderPage> {
  const where = and(
    within.companyId === undefined ? undefined : eq(folders.companyId, within.companyId),
    within.userId === undefined ? undefined : eq(folders.userId, within.userId),
    ...listConditions(query.filters, folderColumns),
  )
  const rows = await queries
    .select()
    .from(folders)
    .where(where)
    .orderBy(...listOrder(query.sorting, folderColumns, folders.id))
    .limit(query.limit ?? -1)
    .offset(query.offset)
  if (query.totalOmit) return { rows, total: null }
  const [counted] = await queries.select({ total: count() }).from(folders).where(where)
  return { rows, total: counted?.total ?? null }
}

/** Along the leaves that equal a value: they lie in the order in which their folders were made. */
async function listByLeaf(
  queries: Queries,
  query: ListQuery,
  within: Within,
  leaf: JsonCondition,
  rest: readonly ListFilter[],
): Promise<FolderPage> {
  const columns = { ...folderColumns, ...leafColumns }
  const ofLeaf = [
    equalLeaf(folderLeaves, leaf),
    within.companyId === undefined ? undefined : eq(folderLeaves.companyId, within.companyId),
    ...listConditions(
      rest.filter(({ field }) => field in leafColumns),
      columns,
    ),
  ]
  const ofFolder = [
    within.userId === undefined ? undefined : eq(folders.userId, within.userId),
    ...listConditions(
      rest.filter(({ field }) => !(field in leafColumns)),
      columns,
    ),
  ].filter((condition): condition is SQL => condition !== undefined)
  // A cross join is done in the order it is written in, and this order is the list's.
  const where = and(...ofLeaf, eq(folders.id, folderLeaves.ownerId), ...ofFolder)
  const found = await queries
    .select({ folder: folders })
    .from(folderLeaves)
    .crossJoin(folders)
    .where(where)
    .orderBy(...listOrder(query.sorting, columns, folderLeaves.ownerId))
    .limit(query.limit ?? -1)
    .offset(query.offset)
  const rows = found.map(({ folder }) => folder)
  if (query.totalOmit) return { rows, total: null }
  const counting = queries.select({ total: count() }).from(folderLeaves)
  const [counted] =
    ofFolder.length === 0
      ? await counting.where(and(...ofLeaf))
      : await counting.crossJoin(folders).where(where)
  return { rows, total: counted?.total ?? null }
}

/** @throws {TypeError} when the query names a field that folders do not have */
export async function listFolders(queries: Queries, query: ListQuery, within: Within): Promise<FolderPage> {
  const leaf = await rarest(queries, equalitiesOf(query.filters))
  return leaf
    ? listByLeaf(queries, query, within, leaf, without(query.filters, leaf))
    : listPlain(queries, query, within)
}
