/** How stores ask the database. */
import type { Client } from '@libsql/client'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import * as driver from 'drizzle-orm/libsql/driver-core'

/**
 * Opens the query builder on a client. The typed entry points of the package do the same, but also load the client of database servers, which
 * takes a tenth of a second at each start.
 */
export const { construct: openQueries } = driver as unknown as {
  construct(client: Client): LibSQLDatabase
}

/** The query builder, inside or outside of a transaction. */
export type Queries = Pick<
  LibSQLDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'all' | 'run' | 'get'
>

/** Queries that are sent together. */
export type Together = readonly [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]]

/** Sends queries of a transaction together. */
export type Ask = <const Items extends Together>(items: Items) => Promise<BatchResponse<Items>>
