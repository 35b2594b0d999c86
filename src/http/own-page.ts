/** Pages of this server that somebody opened on its machine. */
import type { Context } from 'hono'
import { isAmong } from '../network-address.ts'
import { isLocalHost } from '../settings.ts'
import type { AppEnv, Deps } from './app-env.ts'

const loopback = ['127.0.0.0/8', '::1']

/** What proxies say of whom they call for. */
const forwarding = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether an address names this machine as host. */
const isHere = ({ hostname }: URL): boolean => isLocalHost(hostname.replace(/^\[|\]$/g, ''))

/**
 * Whether a call is of a page of this server in a browser on its machine. Other pages, programs, and callers behind a proxy on
 * this machine are none: a browser says which site a call is of (Fetch Metadata, W3C), and a proxy that tells nothing of its
 * caller leaves the page's origin as it was.
 */
export function isOwnPageHere(c: Context<AppEnv>, { settings }: Deps): boolean {
  if (settings.publicUrl !== '' || settings.trustedProxies.length > 0) return false
  if (!isAmong(c.env?.clientAddress ?? '', loopback)) return false
  if (c.req.header('Sec-Fetch-Site') !== 'same-origin') return false
  if (forwarding.some((name) => c.req.header(name) !== undefined)) return false
  const called = new URL(c.req.url)
  const origin = c.req.header('Origin') ?? called.origin
  return isHere(called) && URL.canParse(origin) && new URL(origin).host === called.host
}
