/** Write transactions on a database server, in few calls: each call costs the way to the server and back. */
import type { Client, InStatement, ResultSet, Transaction } from '@libsql/client'
import type { BatchResponse } from 'drizzle-orm/batch'
import { type Ask, openQueries, type Queries, type Together } from './queries.ts'

const textOf = (statement: InStatement): string => (typeof statement === 'string' ? statement : statement.sql)

/** Whether a statement only writes. One that is not recognised is sent at once, which is merely slower. */
const onlyWrites = (statement: InStatement): boolean =>
  /^\s*(?:insert|update|delete)\b/i.test(textOf(statement)) && !/\breturning\b/i.test(textOf(statement))

/** A mistake of the program: it asks how many rows were written by a statement that has not been sent yet. */
export class UnknownCountError extends TypeError {}

/** The answer to a statement that has not been sent yet. */
const deferred = {
  columns: [],
  columnTypes: [],
  rows: [],
  get rowsAffected(): never {
    throw new UnknownCountError('the number of written rows is not known before the commit: use returning')
  },
  lastInsertRowid: undefined,
  toJSON: () => null,
} as unknown as ResultSet

/**
 * Closes the stream in the call of a batch that was just given to the driver, as the driver's own commit does. The driver has
 * no public method for that; it puts the batch into its queue one microtask later. Without it, closing takes a call more.
 */
async function closeWithBatch(transaction: Transaction): Promise<void> {
  await null
  const { _getStream: stream } = transaction as unknown as { _getStream?(): { closeGracefully(): void } }
  stream?.call(transaction).closeGracefully()
}

/** The client of one transaction: keeps statements back until an answer is needed. */
class DeferringClient {
  readonly #client: Client
  #opened: Promise<Transaction> | null = null
  #waiting: InStatement[] = []

  constructor(client: Client) {
    this.#client = client
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    if (onlyWrites(statement)) {
      this.#waiting.push(statement)
      return deferred
    }
    return (await this.batch([statement])).at(-1)!
  }

  async batch(statements: InStatement[]): Promise<ResultSet[]> {
    const earlier = this.#waiting.splice(0)
    this.#opened ??= this.#client.transaction('write')
    const results = await (await this.#opened).batch([...earlier, ...statements])
    return results.slice(earlier.length)
  }

  /** Each statement of a batch runs only if the one before it has succeeded, so a failed one prevents the commit. */
  async commit(): Promise<void> {
    const rest = this.#waiting.splice(0)
    const transaction = await this.#opened
    if (!transaction) {
      if (rest.length > 0) await this.#client.batch(rest, 'write')
      return
    }
    try {
      if (rest.length === 0) return await transaction.commit()
      const committed = transaction.batch([...rest, 'commit'])
      await closeWithBatch(transaction)
      await committed
    } finally {
      transaction.close()
    }
  }

  /** What has failed may have ended the transaction already. */
  async rollback(): Promise<void> {
    await this.#opened?.then((transaction) => transaction.rollback()).catch(() => {})
  }
}

/**
 * Runs one write transaction on a server. Statements that only write are sent together with the next one whose answer is
 * needed, the last ones with the commit; without any that is needed, the transaction is one call. So an error of a
 * statement may appear at a later one, or at the end.
 */
export async function writeRemotely<T>(
  client: Client,
  work: (queries: Queries, ask: Ask) => Promise<T>,
): Promise<T> {
  const deferring = new DeferringClient(client)
  const queries = openQueries(deferring as unknown as Client)
  try {
    const result = await work(queries, (items) => queries.batch(items))
    await deferring.commit()
    return result
  } catch (error) {
    await deferring.rollback()
    throw error
  }
}

/**
 * Runs statements whose answers are all wanted as one write transaction, in one call. The answers are read after the commit: a row that
 * cannot be read undoes nothing.
 * @param first statements that come before them
 */
export function writeTogether<const Items extends Together>(
  client: Client,
  make: (queries: Queries) => Items,
  first: readonly string[] = [],
): Promise<BatchResponse<Items>> {
  const batch = async (statements: InStatement[]) =>
    (await client.batch([...first, ...statements], 'write')).slice(first.length)
  const queries = openQueries({ batch } as unknown as Client)
  return queries.batch(make(queries))
}
