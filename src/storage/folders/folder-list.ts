/** Lists of folders. Each list is read along the index that has its rows in the requested order. */
import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ListScope } from '../../identity/authority.ts'
import type { JsonCondition, ListFilter, ListQuery } from '../../records/list-query.ts'
import type { Queries } from '../database.ts'
import { equalLeaf, type ListColumns, listConditions, listOrder } from '../lists/list-conditions.ts'
import { folderLeaves, folders, foldersOfUser } from '../schema.ts'
import { folderColumns, folderConditions } from './folder-columns.ts'

/** Numbers of the folders of a page, in order. `total` counts all pages; `null` if it was not requested. */
interface FolderPage {
  numbers: number[]
  total: number | null
}

/** Columns of the folder that are copied to its leaves. */
const leafColumns = {
  companyId: { column: folderLeaves.companyId },
  createdAt: { column: folderLeaves.createdAt },
} satisfies ListColumns

/** Upper limit for counting leaves, when looking for the metadata condition that the fewest rows meet. */
const rarityMax = 20_000

const listEqualities = (filters: readonly ListFilter[]): JsonCondition[] =>
  filters
    .flatMap((filter) => (filter.field === 'metadata' && filter.operator === 'json' ? filter.conditions : []))
    .filter(({ comparison, value }) => comparison === '==' && value !== null)

async function countFew(queries: Queries, table: SQLiteTable, where: SQL | undefined): Promise<number> {
  const rows = queries
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(rarityMax)
    .as('rows')
  const [few] = await queries.select({ rows: count() }).from(rows)
  return few?.rows ?? 0
}

/**
 * Chooses what a list is read along: the metadata condition that the fewest leaves meet, or `null` for the folders
 * themselves, if the user has even fewer of them.
 */
async function findRarest(
  queries: Queries,
  equalities: readonly JsonCondition[],
  { companyId, userId }: ListScope,
): Promise<JsonCondition | null> {
  const [first = null] = equalities
  if (first === null || (equalities.length === 1 && userId === undefined)) return first
  const ofCompany = companyId === undefined ? undefined : eq(folderLeaves.companyId, companyId)
  const ways = equalities.map(async (equality) => ({
    equality: equality as JsonCondition | null,
    rows: await countFew(queries, folderLeaves, and(equalLeaf(folderLeaves, equality), ofCompany)),
  }))
  if (userId !== undefined) {
    const ofUser = countFew(queries, folders, eq(folders.userId, userId))
    ways.push(ofUser.then((rows) => ({ equality: null, rows })))
  }
  const [fewest] = (await Promise.all(ways)).sort((a, b) => a.rows - b.rows)
  return fewest?.equality ?? null
}

/** Removes one condition from the filters. */
const omitCondition = (filters: readonly ListFilter[], taken: JsonCondition): ListFilter[] =>
  filters
    .map((filter) =>
      filter.operator === 'json'
        ? { ...filter, conditions: filter.conditions.filter((condition) => condition !== taken) }
        : filter,
    )
    .filter((filter) => filter.operator !== 'json' || filter.conditions.length > 0)

/** Reads a page along an index of the folders. */
async function listAlongFolders(queries: Queries, query: ListQuery, within: ListScope): Promise<FolderPage> {
  const where = and(
    within.companyId === undefined ? undefined : eq(folders.companyId, within.companyId),
    within.userId === undefined ? undefined : eq(folders.userId, within.userId),
    ...folderConditions(query.filters),
  )
  // The query planner would otherwise choose an index for a filter over the whole company, or over all companies.
  const isAlongUser = within.userId !== undefined && query.filters.every(({ field }) => field !== 'id')
  const along = isAlongUser ? sql`indexed by ${sql.identifier(foldersOfUser)}` : sql``
  const matching = sql`from ${folders} ${along} where ${where ?? sql`1`}`
  const order = listOrder(query.sorting, folderColumns, folders.number)
  // Selecting the number alone lets the engine skip the offset within the index.
  const found = await queries.all<{ number: number }>(
    sql`select ${folders.number} as number ${matching} order by ${sql.join(order, sql`, `)}
      limit ${query.limit ?? -1} offset ${query.offset}`,
  )
  const numbers = found.map(({ number }) => number)
  if (query.totalOmit) return { numbers, total: null }
  const { total } = await queries.get<{ total: number }>(sql`select count(*) as total ${matching}`)
  return { numbers, total }
}

/** Reads a page along the leaves that equal a value. The index holds them by the creation time of their folders. */
async function listAlongLeaves(
  queries: Queries,
  query: ListQuery,
  within: ListScope,
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
    ...folderConditions(rest.filter(({ field }) => !(field in leafColumns))),
  ].filter((condition): condition is SQL => condition !== undefined)
  // The engine never reorders a cross join, so the rows keep the order of the list.
  const where = and(...ofLeaf, eq(folders.number, folderLeaves.owner), ...ofFolder)
  const found = await queries
    .select({ number: folders.number })
    .from(folderLeaves)
    .crossJoin(folders)
    .where(where)
    .orderBy(...listOrder(query.sorting, columns, folderLeaves.owner))
    .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
    .offset(query.offset)
  const numbers = found.map(({ number }) => number)
  if (query.totalOmit) return { numbers, total: null }
  const counting = queries.select({ total: count() }).from(folderLeaves)
  const [counted] =
    ofFolder.length === 0
      ? await counting.where(and(...ofLeaf))
      : await counting.crossJoin(folders).where(where)
  return { numbers, total: counted?.total ?? null }
}

/** @throws {TypeError} if the query names a field that folders do not have */
export async function listFolders(
  queries: Queries,
  query: ListQuery,
  within: ListScope,
): Promise<FolderPage> {
  const leaf = await findRarest(queries, listEqualities(query.filters), within)
  return leaf
    ? listAlongLeaves(queries, query, within, leaf, omitCondition(query.filters, leaf))
    : listAlongFolders(queries, query, within)
}
