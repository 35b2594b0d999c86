import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { isOwnPageHere } from '../../../src/http/own-page.ts'
import { readSettings } from '../../../src/settings.ts'

interface Call {
  address?: string | undefined
  url?: string
  /** Besides those of a page's call; `undefined` for one that is not sent. */
  headers?: Record<string, string | undefined>
  environment?: Record<string, string>
}

function isOwn({
  address = '127.0.0.1',
  url = 'http://127.0.0.1:8000',
  headers,
  environment,
}: Call): boolean {
  const own = { 'Sec-Fetch-Site': 'same-origin', Connection: 'keep-alive', Origin: new URL(url).origin }
  const sent = Object.entries({ ...own, ...headers }).flatMap(([name, value]) =>
    value ? [[name, value] as [string, string]] : [],
  )
  const c = {
    env: { clientAddress: address },
    req: { url: `${url}/api/instant/folders/`, raw: { headers: new Headers(sent) } },
  }
  const deps = { settings: readSettings(environment ?? {}) }
  return isOwnPageHere(c as unknown as Context<AppEnv>, deps as Deps)
}

describe('a page of this server on its machine', () => {
  it.each<[string, Call]>([
    ['by address', {}],
    ['by another address of this machine', { address: '127.3.2.1' }],
    ['by IPv4 written as IPv6', { address: '::ffff:127.0.0.1' }],
    ['by IPv6', { address: '::1', url: 'http://[::1]:8000' }],
    ['by name', { url: 'http://localhost:8000' }],
    ['reading', { headers: { Origin: undefined } }],
  ])('is known: %s', (_, call) => {
    expect(isOwn(call)).toBe(true)
  })

  it.each<[string, Call]>([
    ['of another machine', { address: '192.0.2.1' }],
    ['of an unknown address', { address: '' }],
    ['by a name that may be anybody’s', { url: 'http://rebound.example:8000' }],
    ['by a name that begins as one of this machine', { url: 'http://127.0.0.1.example:8000' }],
    ['of a program', { headers: { 'Sec-Fetch-Site': undefined, Origin: undefined } }],
    ['of a program that names an origin', { headers: { 'Sec-Fetch-Site': undefined } }],
    ['of another site', { headers: { 'Sec-Fetch-Site': 'cross-site' } }],
    ['of another port', { headers: { 'Sec-Fetch-Site': 'same-site' } }],
    ['that somebody types', { headers: { 'Sec-Fetch-Site': 'none', Origin: undefined } }],
    ['of an origin behind a proxy without headers', { headers: { Origin: 'https://liveness.example' } }],
    ['of an origin of another port', { headers: { Origin: 'http://127.0.0.1:9000' } }],
    ['of a page without an origin', { headers: { Origin: 'null' } }],
    ['forwarded', { headers: { 'X-Forwarded-For': '127.0.0.1' } }],
    ['forwarded, by the standard', { headers: { Forwarded: 'for=127.0.0.1' } }],
    ['forwarded from HTTPS', { headers: { 'X-Forwarded-Proto': 'https' } }],
    ['of a mesh of services', { headers: { 'X-Envoy-Attempt-Count': '1' } }],
    ['of a tunnel', { headers: { 'CF-Ray': '1' } }],
    ['of nginx without settings', { headers: { Connection: 'close' } }],
    ['of HAProxy without settings', { headers: { Connection: undefined } }],
    ['of a server that has a public address', { environment: { PUBLIC_URL: 'https://liveness.example' } }],
    ['of a server behind proxies', { environment: { TRUSTED_PROXIES: '10.0.0.1' } }],
  ])('is not assumed: %s', (_, call) => {
    expect(isOwn(call)).toBe(false)
  })
})
