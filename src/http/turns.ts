/** Work that may be long lets other requests go on in between. */

/** Milliseconds of work in one piece. */
const pieceMs = 10

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** A function to be awaited between the pieces of one work; it waits only when a turn has taken long enough. */
export function turns(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < pieceMs) return
    await nextTurn()
    began = performance.now()
  }
}
