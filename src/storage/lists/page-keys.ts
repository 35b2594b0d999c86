import { count, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ListQuery } from '../../records/list-query.ts'
import type { Queries } from '../database.ts'
import { type ListColumns, listOrder } from './list-conditions.ts'

/**
 * The primary keys of a page of a list, in its order. Their rows are read in batches afterwards.
 * @returns also how many rows the list has; `null` if the query leaves that out
 * @throws {TypeError} as `listOrder`
 */
export async function readPageKeys<Key extends string | number>(
  queries: Queries,
  key: AnySQLiteColumn<{ data: Key }>,
  columns: ListColumns,
  query: ListQuery,
  where: SQL | undefined,
): Promise<{ keys: Key[]; total: number | null }> {
  const table = key.table as SQLiteTable
  const found = await queries
    .select({ key })
    .from(table)
    .where(where)
    .orderBy(...listOrder(query.sorting, columns, key))
    .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
    .offset(query.offset)
  const [counted] = query.totalOmit ? [] : await queries.select({ total: count() }).from(table).where(where)
  return { keys: found.map((row) => row.key as Key), total: counted?.total ?? null }
}
