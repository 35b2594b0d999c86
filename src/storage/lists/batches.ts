/** Reads rows in batches of a few milliseconds, since the embedded engine blocks the event loop while it reads. */
import { loopTurns } from '../../queue/loop-turns.ts'

/** Rows in the first batch. The largest possible rows take some milliseconds. */
const firstRows = 4
const shortMs = 2
const longMs = 5

/** How many rows the next batch has. */
export interface BatchPace {
  rows: number
}

export const firstPace = (): BatchPace => ({ rows: firstRows })

/**
 * Reads rows in the order of their keys. Rows that were deleted meanwhile are left out.
 * @param read returns the rows of some keys, in any order
 * @param pace follows the time that batches take; shared by several reads of rows alike, it begins where the last one ended
 */
export async function* readInBatches<Key, Row>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>,
  pace = firstPace(),
): AsyncGenerator<readonly Row[]> {
  const turn = loopTurns()
  for (let at = 0; at < keys.length; ) {
    const batch = keys.slice(at, at + pace.rows)
    const begunMs = performance.now()
    const found = await read(batch)
    const tookMs = performance.now() - begunMs
    yield batch.map((key) => found.get(key)).filter((row) => row !== undefined)
    await turn()
    at += batch.length
    if (tookMs < shortMs) pace.rows *= 2
    else if (tookMs > longMs) pace.rows = Math.max(1, Math.floor(pace.rows / 2))
  }
}

export async function collectBatches<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) for (const item of batch) all.push(item)
  return all
}
