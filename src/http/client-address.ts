import type { Context } from 'hono'
import type { CallContext } from '../folders/received-medium.ts'
import { addressKey, isAddress, isAmong } from '../network-address.ts'
import { anonymousCaller, type Caller } from '../queue/caller.ts'
import type { AppEnv, Deps } from './app-env.ts'

const unknown = 'unknown'

/** The address of a hop: some proxies add a port, and brackets around IPv6. */
function addressOf(hop: string): string {
  const [, bracketed, fourPart] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(hop.trim()) ?? []
  return bracketed ?? fourPart ?? hop.trim()
}

/**
 * The caller's address. It is that of the connection; if that is a trusted proxy, the last one in X-Forwarded-For that is none.
 * Each proxy adds the address it was called from, so what stands before was sent by the caller.
 */
export function clientAddress(c: Context<AppEnv>, { settings }: Deps): string {
  const direct = c.env?.clientAddress ?? unknown
  if (!isAmong(direct, settings.trustedProxies)) return direct
  let nearest = direct
  for (const hop of (c.req.header('X-Forwarded-For') ?? '').split(',').reverse()) {
    const address = addressOf(hop)
    if (!isAddress(address)) break
    nearest = address
    if (!isAmong(address, settings.trustedProxies)) break
  }
  return nearest
}

/** The rate limit key for the caller's address. */
export const clientKey = (c: Context<AppEnv>, deps: Deps): string => addressKey(clientAddress(c, deps))

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
