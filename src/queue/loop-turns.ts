/** Splits long work into pieces, so that other requests can proceed in between. */
import { pause } from './timers.ts'

/** Duration of one piece in milliseconds. */
const pieceMs = 4
/** Milliseconds between the starts of two pieces of any work: a third of the event loop's time remains for others. */
const slotMs = 6

/** Earliest start of the next piece of any work: several at once would run in a single turn of the event loop. */
let freeAtMs = 0

function nextTurn(): Promise<void> {
  const nowMs = performance.now()
  const beginMs = Math.max(nowMs, freeAtMs)
  freeAtMs = beginMs + slotMs
  return pause(beginMs - nowMs)
}

/** Returns a function to await between steps of work; it yields only if the current piece has lasted long enough. */
export function loopTurns(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < pieceMs) return
    await nextTurn()
    began = performance.now()
  }
}

export type Pieces<T> = Iterator<T> | AsyncIterator<T>

/** Concatenates pieces of text up to about `lengthMax` characters; `isDone` if there are no more. Yields to other work in between. */
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
