/** Bodies of answers that are read while they are sent. */
import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'

/** The same body. If it fails, the connection is cut, which the caller sees, and the log says why: the answer had status 200. */
export function streamed(
  c: Context<AppEnv>,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  let hasLeft = false
  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        // A caller who leaves ends what was being read.
        if (hasLeft) return
        if (done) controller.close()
        else controller.enqueue(value as Uint8Array<ArrayBuffer>)
      } catch (cause) {
        if (!hasLeft) c.var.answerBroke(cause)
        throw cause
      }
    },
    cancel(reason) {
      hasLeft = true
      return reader.cancel(reason)
    },
  }
  // Nothing is read before it is asked for, as without this.
  return new ReadableStream(source, { highWaterMark: 0 })
}
