import { type Json, spacedPieces } from '../spaced-json.ts'

/** Items of a list, in batches. */
type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>

/**
 * Writes one page of a list in the envelope of the contract, in pieces, while its items are read. It shows the requested
 * limit.
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

/** Writes a plain array in pieces, while its items are read. */
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

/** The requested page of an array. */
export const slicePage = <T>(
  items: readonly T[],
  { offset, limit }: { offset: number; limit: number | null },
): readonly T[] => items.slice(offset, limit === null ? undefined : offset + limit)
