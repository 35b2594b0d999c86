/** Work that may be long lets other requests go on in between. */

/** Milliseconds of work in one piece. */
const pieceMs = 4
/** From the beginning of one piece to that of the next one, whosever they are: a third of the loop is for others. */
const slotMs = 6

/** When the next piece of anybody may begin: several at a time would all be done in one turn of the loop. */
let freeAtMs = 0

function nextTurn(): Promise<void> {
  const nowMs = performance.now()
  const beginMs = Math.max(nowMs, freeAtMs)
  freeAtMs = beginMs + slotMs
  return new Promise((resolve) => setTimeout(resolve, beginMs - nowMs))
}

/** A function to be awaited between the pieces of one work; it waits only when a turn has taken long enough. */
export function loopTurns(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < pieceMs) return
    await nextTurn()
    began = performance.now()
  }
}

export type Pieces<T> = Iterator<T> | AsyncIterator<T>

/** Text until it is long enough, and whether there is no more. Others get their turn in between. */
export async function gather(
  pieces: Pieces<string>,
  lengthMax = Number.POSITIVE_INFINITY,
): Promise<{ text: string; isDone: boolean }> {
  const turn = loopTurns()
  let text = ''
  while (text.length < lengthMax) {
    const { done, value } = await pieces.next()
    if (done) return { text, isDone: true }
    text += value
    await turn()
  }
  return { text, isDone: false }
}
