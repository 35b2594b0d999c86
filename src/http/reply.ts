import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Assessment } from '../assess/assessment.ts'
import { type ErrorAnswer, retryAfterSeconds } from '../contract/error-table.ts'
import { type Json, spacedJson } from '../contract/spaced-json.ts'
import type { AppEnv } from './app-env.ts'

const jsonType = 'application/json; charset=utf8'

/** Answers with JSON as the contract writes it. */
export function reply(c: Context, body: Json, status = 200): Response {
  return c.body(spacedJson(body), status as ContentfulStatusCode, { 'Content-Type': jsonType })
}

/** Answers with an error; a busy server says when to come back. */
export function replyError(c: Context, { status, body }: ErrorAnswer, busy: boolean): Response {
  if (busy) c.header('Retry-After', String(retryAfterSeconds))
  return reply(c, body, status)
}

/** Adds the time that assessing a medium took to the request's `Server-Timing`. */
export function addTimes(c: Context<AppEnv>, { stageMs }: Assessment): void {
  const times = c.var.stageMs
  for (const [stage, ms] of Object.entries(stageMs)) times[stage] = (times[stage] ?? 0) + ms
}
