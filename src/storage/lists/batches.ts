/** Reads rows in batches: of an embedded engine, which blocks the event loop while it reads, of a few milliseconds; of a server, of few calls. */
import { loopTurns } from '../../queue/loop-turns.ts'

/** Rows in the first batch. The largest possible rows take some milliseconds. */
const firstRows = 4

/**
 * Batches that take less than `shortMs` milliseconds grow, those that take more than `longMs` shrink. A server's answer may have 10 MB:
 * 300 kB for each row.
 */
const limits = {
  embedded: { shortMs: 2, longMs: 5, rowsMax: Number.POSITIVE_INFINITY },
  server: { shortMs: 20, longMs: 100, rowsMax: 32 },
}

/** How many rows the next batch has. */
export interface BatchPace {
  rows: number
  /** How long a batch without rows would take, at most. */
  callMs: number
  limits: (typeof limits)[keyof typeof limits]
}

/** The time of a call to a server, which no size of batches changes, is that of the shortest call seen. */
export const firstPace = ({ isLocal }: { isLocal: boolean }): BatchPace =>
  isLocal
    ? { rows: firstRows, callMs: 0, limits: limits.embedded }
    : { rows: firstRows, callMs: Number.POSITIVE_INFINITY, limits: limits.server }

/** Changes the size of the next batch after one that took some milliseconds. */
export function adaptPace(pace: BatchPace, tookMs: number): void {
  const { shortMs, longMs, rowsMax } = pace.limits
  pace.callMs = Math.min(pace.callMs, tookMs)
  const rowsMs = tookMs - pace.callMs
  if (rowsMs < shortMs) pace.rows = Math.min(rowsMax, pace.rows * 2)
  else if (rowsMs > longMs) pace.rows = Math.max(1, Math.floor(pace.rows / 2))
}

/**
 * Reads rows in the order of their keys. Rows that were deleted meanwhile are left out.
 * @param pace follows the time that batches take; shared by several reads of rows alike, it begins where the last one ended
 * @param read returns the rows of some keys, in any order
 */
export async function* readInBatches<Key, Row>(
  keys: readonly Key[],
  pace: BatchPace,
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>,
): AsyncGenerator<readonly Row[]> {
  const turn = loopTurns()
  for (let at = 0; at < keys.length; ) {
    const batch = keys.slice(at, at + pace.rows)
    const begunMs = performance.now()
    let found: ReadonlyMap<Key, Row>
    try {
      found = await read(batch)
    } catch (error) {
      // Of a server: larger rows than those before may have made the answer too long.
      if (pace.limits !== limits.server || batch.length <= firstRows) throw error
      pace.rows = firstRows
      continue
    }
    adaptPace(pace, performance.now() - begunMs)
    yield batch.map((key) => found.get(key)).filter((row) => row !== undefined)
    await turn()
    at += batch.length
  }
}

export async function collectBatches<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) for (const item of batch) all.push(item)
  return all
}
