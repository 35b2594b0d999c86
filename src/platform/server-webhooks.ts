/** Outgoing webhook requests on Node, Bun and Deno. */
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { PinnedPost, PostAnswer, PostFailure } from '../events/deliver.ts'
import { bareHost } from '../events/webhook-address.ts'

/** Ignores proxies of the environment: a proxy would resolve the name itself and bypass the address check. */
const direct = { keepAlive: false, proxyEnv: {} }

/** Resolves any name to the checked addresses. */
function createPinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, callback) => {
    const wanted = found.filter(({ family }) => !options.family || family === options.family)
    const [first] = wanted
    if (!first) callback(Object.assign(new Error('no such address'), { code: 'ENOTFOUND' }), '', 0)
    else if (options.all) callback(null, wanted)
    else callback(null, first.address, first.family)
  }
}

function classifyError(error: unknown): PostFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /CERT|TLS|SSL|UNABLE_TO|EPROTO/.test(code) ? 'tls_failed' : 'connection_failed'
}

/**
 * Posts only to the checked addresses, so that a name whose addresses change between check and connection (DNS rebinding)
 * leads nowhere else. The certificate is checked against the name. Redirects are not followed, the response body is not
 * read, and the connection is not reused.
 */
export function postPinned({ url, addresses, headers, body, timeoutMs }: PinnedPost): Promise<PostAnswer> {
  const bytes = new TextEncoder().encode(body)
  return new Promise((resolve) => {
    const client = url.protocol === 'https:' ? https : http
    const request = client.request(url, {
      hostname: bareHost(url),
      method: 'POST',
      headers: { ...headers, 'Content-Length': bytes.length, Connection: 'close' },
      agent: new client.Agent(direct),
      lookup: createPinnedLookup(addresses),
    })
    const end = (answer: PostAnswer): void => {
      clearTimeout(timer)
      request.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => end({ failure: 'timed_out' }), timeoutMs)
    request.on('response', ({ statusCode }) => end({ status: statusCode ?? 0 }))
    request.on('error', (error) => end({ failure: classifyError(error) }))
    request.end(bytes)
  })
}
