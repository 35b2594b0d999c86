/** Conditions with more values than one statement can bind (32 766). */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

export const amongNumbers = (column: SQLiteColumn, numbers: readonly number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(numbers)}))`

/** @param column a column of UUIDs */
export const amongIds = (column: SQLiteColumn, ids: readonly string[]): SQL =>
  sql`${column} in (select unhex(value, '-') from json_each(${JSON.stringify(ids)}))`
