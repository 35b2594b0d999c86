import type { Context } from 'hono'
import type { CallContext } from '../folders/received-medium.ts'
import { addressKey } from '../identity/network-address.ts'
import { anonymous, type Caller } from '../queue/caller.ts'
import type { AppEnv, Deps } from './app-env.ts'

const unknown = 'unknown'
const addressForm = /^[0-9a-fA-F:.]{2,45}$/

/** The address that counts as the caller's: of the connection, or as trusted proxies say. */
export function clientKey(c: Context<AppEnv>, { settings }: Deps): string {
  const direct = c.env?.clientAddress ?? unknown
  if (settings.trustedProxies === 0) return addressKey(direct)
  const hops = (c.req.header('X-Forwarded-For') ?? '').split(',').map((hop) => hop.trim())
  const told = hops.at(-settings.trustedProxies) ?? ''
  return addressForm.test(told) ? addressKey(told) : addressKey(direct)
}

/** Whose share of the work a call uses: that of its address within the company that calls. */
export const identifyCaller = (c: Context<AppEnv>, deps: Deps): Caller => {
  const authority = c.get('authority') as AppEnv['Variables']['authority'] | undefined
  const companyId = authority?.principal.companyId
  const address = clientKey(c, deps)
  return companyId ? { company: companyId, address } : anonymous(address)
}

/** What media of a call are assessed for. */
export const callContext = (c: Context<AppEnv>, deps: Deps): CallContext => ({
  signal: c.req.raw.signal,
  caller: identifyCaller(c, deps),
})
