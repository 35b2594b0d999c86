import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorAnswer, retryAfterSeconds } from '../contract/error-table.ts'
import { type Json, spacedJson, spacedPieces } from '../contract/spaced-json.ts'
import type { AppError } from '../errors.ts'
import { gather, type Pieces } from '../queue/loop-turns.ts'
import type { AppEnv } from './app-env.ts'
import { namesTag } from './entity-tag.ts'
import { streamed } from './streamed.ts'

const jsonType = 'application/json; charset=utf8'

/** Characters of an answer that are written before the first byte is sent. */
const wholeMax = 2 ** 20
const sentAtOnce = 2 ** 16

const encoder = new TextEncoder()

/** Names a text by its bytes. */
async function makeTag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `"${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`
}

/**
 * Answers with text in pieces. A long answer is written as the client reads it, so that it is never in memory as a whole.
 * An error after the first byte closes the connection, and is logged.
 *
 * Shorter answers to GET have an entity tag, and are 304 for who names it in `If-None-Match`.
 */
export async function replyPieces(
  c: Context<AppEnv>,
  pieces: Pieces<string>,
  status = 200,
): Promise<Response> {
  const head = await gather(pieces, wholeMax)
  const answer = (body: Uint8Array<ArrayBuffer> | ReadableStream, told: Record<string, string> = {}) =>
    c.body(body, status as ContentfulStatusCode, { 'Content-Type': jsonType, ...told })
  if (head.isDone) {
    const bytes = encoder.encode(head.text)
    const length = { 'Content-Length': String(bytes.length) }
    if (c.req.method !== 'GET' || status !== 200) return answer(bytes, length)
    const tag = await makeTag(bytes)
    // Weak: the same content, compressed or not.
    const told = { ETag: `W/${tag}` }
    return namesTag(c.req.header('If-None-Match'), tag)
      ? c.body(null, 304, told)
      : answer(bytes, { ...length, ...told })
  }
  return answer(
    streamed(
      c,
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
    ),
  )
}

/** Answers with JSON in the format of the contract. */
export const reply = (c: Context<AppEnv>, body: Json, status = 200): Promise<Response> =>
  replyPieces(c, spacedPieces(body), status)

/** Answers with an error. An overloaded server also sends `Retry-After`. */
export function replyError(c: Context<AppEnv>, { status, body }: ErrorAnswer, error: AppError): Response {
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
