/** Work that is done in pieces, between which others may have their turn. */
export type Piecewise<T> = Generator<void, T>

/** Does all of it at once. */
export function finish<T>(work: Piecewise<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
