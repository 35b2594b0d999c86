/** One page of a list. */
export interface Page<T> {
  items: readonly T[]
  /** `null` where nobody asked. */
  total: number | null
}

/** The same, read while it is written. */
export interface Listing<T> {
  batches: AsyncIterable<readonly T[]>
  total: number | null
}
