import type { Context } from 'hono'
import { anonymous, type Caller } from '../queue/caller.ts'
import type { AppEnv, Deps } from './app-env.ts'

const unknown = 'unknown'
const addressForm = /^[0-9a-fA-F:.]{2,45}$/

/** One IPv6 host has a whole /64, so that its addresses count as one. */
function grouped(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

/** The address that counts as the caller's: of the connection, or as trusted proxies say. */
export function clientKey(c: Context<AppEnv>, { settings }: Deps): string {
  const direct = c.env?.clientAddress ?? unknown
  if (settings.trustedProxies === 0) return grouped(direct)
  const hops = (c.req.header('X-Forwarded-For') ?? '').split(',').map((hop) => hop.trim())
  const told = hops.at(-settings.trustedProxies) ?? ''
  return addressForm.test(told) ? grouped(told) : grouped(direct)
}

/** Whose share of the work a call uses: that of its address within the company that calls. */
export const callerOf = (c: Context<AppEnv>, deps: Deps): Caller => {
  const principal = c.get('principal') as AppEnv['Variables']['principal'] | undefined
  const address = clientKey(c, deps)
  return principal?.companyId ? { company: principal.companyId, address } : anonymous(address)
}
