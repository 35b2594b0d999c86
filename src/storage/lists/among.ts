/** Conditions that name more values than a statement takes on its own, which are 32 766. */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

export const amongNumbers = (column: SQLiteColumn, numbers: readonly number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(numbers)}))`

/** @param column one of UUIDs */
export const amongIds = (column: SQLiteColumn, ids: readonly string[]): SQL =>
  sql`${column} in (select unhex(value, '-') from json_each(${JSON.stringify(ids)}))`
