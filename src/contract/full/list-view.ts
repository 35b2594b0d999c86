import type { Json } from '../spaced-json.ts'

/** One page of a list in the contract's envelope. The limit is shown as it was asked for. */
export function listView<T>(
  { offset, limit }: { offset: number; limit: number | null },
  { items, total }: { items: readonly T[]; total: number | null },
  view: (item: T) => Json,
): Json {
  return { offset, limit: limit ?? -1, total_count: total, items: items.map(view) }
}

/** The part of a bare array that paging asks for. */
export const pageOf = <T>(
  items: readonly T[],
  { offset, limit }: { offset: number; limit: number | null },
): readonly T[] => items.slice(offset, limit === null ? undefined : offset + limit)
