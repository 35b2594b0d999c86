/** Lets in who has a valid token, and nobody too often. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Principal } from '../../accounts/principal.ts'
import { AppError } from '../../errors.ts'
import { hashToken } from '../../identity/access-token.ts'
import type { ThrottledKind } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'

/** The vendor's spelling, and the one of a page of its manual. */
export const tokenHeaders = ['X-Forensic-Access-Token', 'X-Forensics-Access-Token']

export const sentToken = (c: Context<AppEnv>): string | null =>
  tokenHeaders.map((name) => c.req.header(name)?.trim()).find((value) => value) ?? null

/** @throws {AppError} `throttled` */
export function throttle(c: Context<AppEnv>, { services }: Deps, kind: ThrottledKind, key: string): void {
  const taken = services.throttle.take(kind, key)
  if (!taken.ok) refuseFor(c, taken.retryAfterS)
}

/** @throws {AppError} `throttled`, with the seconds to wait in a header */
export function refuseFor(c: Context<AppEnv>, seconds: number): never {
  c.header('Retry-After', String(seconds))
  throw new AppError('throttled', '')
}

/** @throws {AppError} `token_missing`, `token_unknown`, `token_expired`, `user_blocked`, `throttled` */
export async function authenticate(c: Context<AppEnv>, deps: Deps): Promise<Principal> {
  const token = sentToken(c)
  try {
    if (token === null) throw new AppError('token_missing', '')
    const principal = await deps.services.authenticate(token)
    throttle(c, deps, 'rps_with_token', principal.sessionId ?? (await hashToken(token)))
    return principal
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('token_')) {
      throttle(c, deps, 'rest_unauthorized', clientKey(c, deps))
    }
    throw error
  }
}

export const requireToken = (deps: Deps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set('principal', await authenticate(c, deps))
    await next()
  })
