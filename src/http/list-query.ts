/** Reads the queries of lists. What they ignore is named in a header of the answer. */
import type { Context } from 'hono'
import { type ListFields, parseListQuery, type ReadListQuery } from '../contract/list-query.ts'
import type { AppEnv } from './app-env.ts'

export const ignoredHeader = 'X-Vivace-Ignored-Parameters'

/** @param names as an error may repeat them */
export function nameIgnored(c: Context<AppEnv>, names: readonly string[]): void {
  if (names.length > 0) c.header(ignoredHeader, names.join(', '))
}

export const readSearch = (c: Context<AppEnv>): URLSearchParams => new URL(c.req.url).searchParams

/** @throws {AppError} as `parseListQuery` */
export function readListQuery(
  c: Context<AppEnv>,
  fields: ListFields,
  nowMs: number,
  flags: readonly string[] = [],
): ReadListQuery {
  const query = parseListQuery(readSearch(c), fields, nowMs, flags)
  nameIgnored(c, query.ignored)
  return query
}
