/** One page of a list. */
export interface Page<T> {
  items: readonly T[]
  /** `null` where nobody asked. */
  total: number | null
}
