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

/** Concatenates pieces of text to longer ones of about `lengthMax` characters. Yields to other work in between. */
export async function* gatherEach(pieces: Pieces<string>, lengthMax = 2 ** 16): AsyncGenerator<string> {
  const turn = loopTurns()
  for (let isDone = false; !isDone; await turn()) {
    const next = await gather(pieces, lengthMax)
    isDone = next.isDone
    if (next.text !== '') yield next.text
  }
}

/** Pieces of text as UTF-8. To encode 24 million characters at once takes 0.2 to 0.3 s. */
export async function gatherBytes(pieces: Pieces<string>): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  for await (const text of gatherEach(pieces)) parts.push(encoder.encode(text))
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  const turn = loopTurns()
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
    await turn()
  }
  return bytes
}
