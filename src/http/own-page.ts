/** Pages of this server that somebody opened on its machine. */
import type { Context } from 'hono'
import { isAmong } from '../network-address.ts'
import { isLocalHost } from '../settings.ts'
import type { AppEnv, Deps } from './app-env.ts'

const loopback = ['127.0.0.0/8', '::1']

/** What proxies say of themselves, or of whom they call for. */
const forwarding = /^(?:forwarded|via|x-real-ip|(?:x-forwarded|x-envoy|x-original|cf)-.*)$/i

/** Whether an address names this machine as host. */
const isHere = ({ hostname }: URL): boolean => isLocalHost(hostname.replace(/^\[|\]$/g, ''))

/**
 * Whether a call is of a page of this server in a browser on its machine. Other pages are none: a browser says which site a call
 * is of (Fetch Metadata, W3C). Calls through an HTTP proxy are none: it names itself or its caller, leaves the page's origin, or
 * does not pass on that the browser keeps its connection. A program on this machine, or behind a forwarder of bytes, can pretend.
 */
export function isOwnPageHere(c: Context<AppEnv>, { settings }: Deps): boolean {
  if (settings.publicUrl !== '' || settings.trustedProxies.length > 0) return false
  if (!isAmong(c.env?.clientAddress ?? '', loopback)) return false
  const { headers } = c.req.raw
  if (headers.get('Sec-Fetch-Site') !== 'same-origin') return false
  if (headers.get('Connection')?.toLowerCase() !== 'keep-alive') return false
  if ([...headers.keys()].some((name) => forwarding.test(name))) return false
  const called = new URL(c.req.url)
  const origin = headers.get('Origin') ?? called.origin
  return isHere(called) && URL.canParse(origin) && new URL(origin).host === called.host
}
