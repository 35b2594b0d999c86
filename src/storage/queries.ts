/** How stores ask the database. */
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'

/** The query builder, inside or outside of a transaction. */
export type Queries = Pick<
  LibSQLDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'all' | 'run' | 'get'
>

/** Queries that are sent together. */
export type Together = readonly [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]]

/** Sends queries of a transaction together. */
export type Ask = <const Items extends Together>(items: Items) => Promise<BatchResponse<Items>>
