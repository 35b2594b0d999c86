import { type Json, spacedPieces } from '../spaced-json.ts'

/** Items of a list as they come. */
type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>

/**
 * One page of a list in the contract's envelope, in pieces, while its items are read. The limit is shown as it was asked for.
 */
export async function* listPieces<T>(
  { offset, limit }: { offset: number; limit: number | null },
  { batches, total }: { batches: Batches<T>; total: number | null },
  view: (item: T) => Json,
): AsyncGenerator<string> {
  yield `{"offset": ${offset}, "limit": ${limit ?? -1}, "total_count": ${total}, "items": `
  yield* arrayPieces(batches, view)
  yield '}'
}

/** A bare array in pieces, while its items are read. */
export async function* arrayPieces<T>(batches: Batches<T>, view: (item: T) => Json): AsyncGenerator<string> {
  let between = '['
  for await (const batch of batches) {
    for (const item of batch) {
      yield between
      yield* spacedPieces(view(item))
      between = ', '
    }
  }
  yield between === '[' ? '[]' : ']'
}

/** The part of a bare array that paging asks for. */
export const slicePage = <T>(
  items: readonly T[],
  { offset, limit }: { offset: number; limit: number | null },
): readonly T[] => items.slice(offset, limit === null ? undefined : offset + limit)
