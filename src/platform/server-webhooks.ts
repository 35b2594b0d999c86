/** Outgoing webhook requests on Node, Bun and Deno. */
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { PinnedPost, PostAnswer, PostFailure } from '../events/deliver.ts'
import { bareHost } from '../events/webhook-address.ts'

/** A proxy named in the environment would resolve the name itself, so that the check of the addresses meant nothing. */
const direct = { keepAlive: false, proxyEnv: {} }

/** Resolves whatever name to the addresses that were checked. */
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
 * Posts to the addresses that were checked and to no other, so that a name which changes its meaning between check and
 * connection leads nowhere else. The certificate is checked against the name. Redirects are not followed, the body of
 * the answer is not read, the connection is not kept.
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
