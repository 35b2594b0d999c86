import type { Context } from 'hono'
import type { CallContext } from '../folders/received-medium.ts'
import { addressKey, isAddress } from '../identity/network-address.ts'
import { anonymousCaller, type Caller } from '../queue/caller.ts'
import type { AppEnv, Deps } from './app-env.ts'

const unknown = 'unknown'

/** The rate limit key for the caller's address: the address of the connection, or the one that trusted proxies report. */
export function clientKey(c: Context<AppEnv>, { settings }: Deps): string {
  const direct = c.env?.clientAddress ?? unknown
  if (settings.trustedProxies === 0) return addressKey(direct)
  const hops = (c.req.header('X-Forwarded-For') ?? '').split(',').map((hop) => hop.trim())
  const told = hops.at(-settings.trustedProxies) ?? ''
  return isAddress(told) ? addressKey(told) : addressKey(direct)
}

/** The caller whose share of the work a call uses: an address within the calling company. */
export const identifyCaller = (c: Context<AppEnv>, deps: Deps): Caller => {
  const authority = c.get('authority') as AppEnv['Variables']['authority'] | undefined
  const companyId = authority?.principal.companyId
  const address = clientKey(c, deps)
  return companyId ? { company: companyId, address } : anonymousCaller(address)
}

/** The abort signal and the caller of a request, for the assessment of its media. */
export const callContext = (c: Context<AppEnv>, deps: Deps): CallContext => ({
  signal: c.req.raw.signal,
  caller: identifyCaller(c, deps),
})
