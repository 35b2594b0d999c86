/** One page of a list. */
export interface Page<T> {
  items: readonly T[]
  /** Items over all pages; `null` if it was not requested. */
  total: number | null
}

/** One page of a list, read in batches while the response is written. */
export interface Listing<T> {
  batches: AsyncIterable<readonly T[]>
  total: number | null
}
