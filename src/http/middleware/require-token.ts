/** Authenticates requests by their token, and limits their rate. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../errors.ts'
import { hashToken } from '../../identity/access-token.ts'
import { Authority } from '../../identity/authority.ts'
import type { Principal } from '../../identity/principal.ts'
import { pause } from '../../queue/timers.ts'
import type { Settings, ThrottledKind } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { isOwnPageHere } from '../own-page.ts'
import { companyHeader, readCompanyHeader } from '../request-ids.ts'

/** The vendor's spelling, and a variant from a page of its manual. */
const tokenHeaders = ['X-Forensic-Access-Token', 'X-Forensics-Access-Token']

export const readToken = (c: Context<AppEnv>): string | null =>
  tokenHeaders.map((name) => c.req.header(name)?.trim()).find((value) => value) ?? null

/**
 * Waits until the rate allows the call.
 * @throws {AppError} `throttled` if that would take too long
 */
export async function throttle({ services }: Deps, kind: ThrottledKind, key: string): Promise<void> {
  const taken = services.throttle.take(kind, key)
  if (!taken.ok) throw new AppError('throttled', undefined, { retryAfterS: taken.retryAfterS })
  if (taken.delayMs > 0) await pause(taken.delayMs)
}

/** @throws {AppError} `token_missing`, `token_unknown`, `token_expired`, `user_blocked`, `throttled` */
async function authenticatePrincipal(c: Context<AppEnv>, deps: Deps): Promise<Principal> {
  const token = readToken(c)
  try {
    if (token === null) throw new AppError('token_missing')
    const principal = await deps.services.authenticate(token)
    await throttle(deps, 'rps_with_token', principal.sessionId ?? (await hashToken(token)))
    return principal
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('token_'))
      await throttle(deps, 'rest_unauthorized', clientKey(c, deps))
    throw error
  }
}

/**
 * Authenticates the caller and stores the result in `c.var.authority`.
 * @throws {AppError} as `authenticatePrincipal`; `forbidden` if the header names another company
 */
export async function authenticate(c: Context<AppEnv>, deps: Deps): Promise<Authority> {
  const authority = new Authority(await authenticatePrincipal(c, deps))
  authority.callingFor(readCompanyHeader(c), companyHeader)
  c.set('authority', authority)
  return authority
}

/** Who makes a call, and the company that it is made for. */
interface Caller {
  /** `null` for a call without a token, where none is needed. */
  authority: Authority | null
  companyId: string | null
}

/** Whether Instant and session tokens are for callers with a token only. */
export const tenantNeedsToken = ({ components, authorizeDisabledStateless }: Settings): boolean =>
  components.auth && !authorizeDisabledStateless

/**
 * The caller of Instant or of session tokens, which may need no token: pages opened on the server's machine need none, unless
 * they name a company. One that is sent counts all the same; a server without the component `auth` knows no tokens.
 * @throws {AppError} as `authenticate`
 */
export async function identifyTenant(c: Context<AppEnv>, deps: Deps): Promise<Caller> {
  const { settings } = deps
  const named = readCompanyHeader(c)
  const isOpen = !tenantNeedsToken(settings) || (named === null && isOwnPageHere(c, deps))
  if (!settings.components.auth || (isOpen && readToken(c) === null))
    return { authority: null, companyId: named }
  const authority = await authenticate(c, deps)
  return { authority, companyId: authority.callingFor(named, companyHeader) }
}

export const requireToken = (deps: Deps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await authenticate(c, deps)
    await next()
  })
