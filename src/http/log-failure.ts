/** Log lines of server errors. */
import type { Context } from 'hono'
import type { AppError } from '../errors.ts'
import type { AppEnv, Deps } from './app-env.ts'

/**
 * Logs server errors. Those that callers can provoke have a lower level: a full queue is a warning, a type of analysis
 * that is switched off is information.
 */
export function logFailure(
  c: Context<AppEnv>,
  { platform }: Pick<Deps, 'platform'>,
  error: AppError,
  status: number,
): void {
  if (status < 500 || c.req.raw.signal.aborted) return
  const { code, message } = error
  if (code === 'not_implemented') {
    platform.log('info', 'not built', { request_id: c.var.requestId, message })
    return
  }
  const cause =
    error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : String(error.cause ?? '')
  platform.log(code === 'overloaded' ? 'warn' : 'error', 'failure', {
    request_id: c.var.requestId,
    code,
    message,
    cause,
  })
}
