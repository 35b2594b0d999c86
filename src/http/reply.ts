import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorAnswer, retryAfterSeconds } from '../contract/error-table.ts'
import { type Json, spacedJson, spacedPieces } from '../contract/spaced-json.ts'
import type { AppError } from '../errors.ts'
import { gather, type Pieces } from '../queue/loop-turns.ts'
import type { AppEnv } from './app-env.ts'

const jsonType = 'application/json; charset=utf8'

/** Characters of an answer that are written before the first byte is sent. */
const wholeMax = 2 ** 20
const sentAtOnce = 2 ** 16

/**
 * Answers with text in pieces. A long answer is written as the client reads it, so that it is never in memory as a whole.
 * An error after the first byte closes the connection.
 */
export async function replyPieces(c: Context, pieces: Pieces<string>, status = 200): Promise<Response> {
  const head = await gather(pieces, wholeMax)
  const answer = (body: string | ReadableStream) =>
    c.body(body, status as ContentfulStatusCode, { 'Content-Type': jsonType })
  if (head.isDone) return answer(head.text)
  const encoder = new TextEncoder()
  return answer(
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(head.text)),
      async pull(controller) {
        const { text, isDone } = await gather(pieces, sentAtOnce)
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (isDone) controller.close()
      },
      async cancel() {
        await pieces.return?.()
      },
    }),
  )
}

/** Answers with JSON in the format of the contract. */
export const reply = (c: Context, body: Json, status = 200): Promise<Response> =>
  replyPieces(c, spacedPieces(body), status)

/** Answers with an error. An overloaded server also sends `Retry-After`. */
export function replyError(c: Context, { status, body }: ErrorAnswer, error: AppError): Response {
  const seconds = error.retryAfterS ?? (error.code === 'overloaded' ? retryAfterSeconds : null)
  if (seconds !== null) c.header('Retry-After', String(seconds))
  return c.body(spacedJson(body), status as ContentfulStatusCode, { 'Content-Type': jsonType })
}

/** Adds the stage times of an assessment to the request's `Server-Timing`. */
export function recordServerTiming(
  c: Context<AppEnv>,
  { stageMs }: { stageMs: Readonly<Record<string, number>> },
): void {
  const times = c.var.stageMs
  for (const [stage, ms] of Object.entries(stageMs)) times[stage] = (times[stage] ?? 0) + ms
}
