import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { clientKey } from '../../../src/http/client-address.ts'
import { readSettings } from '../../../src/settings.ts'

/** The key of a call from an address with a header. */
function keyOf(forwarded: string, from = '192.0.2.1', proxies = '192.0.2.1, 10.0.0.0/8, fd00::/8'): string {
  const settings = readSettings({ TRUSTED_PROXIES: proxies })
  const c = { env: { clientAddress: from }, req: { header: () => forwarded } }
  return clientKey(c as unknown as Context<AppEnv>, { settings } as Deps)
}

describe('the rate limit key of a caller', () => {
  it('is the last address in the header that is no proxy', () => {
    expect(keyOf('203.0.113.9, 198.51.100.7')).toBe('198.51.100.7')
    expect(keyOf('203.0.113.9, 198.51.100.7, 10.1.2.3', '10.0.0.1')).toBe('198.51.100.7')
    expect(keyOf('2001:DB8:0:1::5')).toBe('2001:db8:0:1')
    expect(keyOf('198.51.100.7', 'fd00::1')).toBe('198.51.100.7')
    expect(keyOf('198.51.100.7', '::ffff:10.0.0.1')).toBe('198.51.100.7')
  })

  it('is an address with a port, or with brackets', () => {
    expect(keyOf('198.51.100.7:51234')).toBe('198.51.100.7')
    expect(keyOf('198.51.100.7:51234, 10.1.2.3:80', '10.0.0.1')).toBe('198.51.100.7')
    expect(keyOf('[2001:db8:0:1::5]:443')).toBe('2001:db8:0:1')
    expect(keyOf('[2001:db8:0:1::5]')).toBe('2001:db8:0:1')
    for (const text of ['198.51.100.7:', '[198.51.100.7', '[]:1', '198.51.100.7:123456'])
      expect(keyOf(text)).toBe('192.0.2.1')
  })

  it('is the address of the connection if the header has none', () => {
    for (const text of ['', 'unknown', '1:2:3:4:5:6:7:8:9', '1::2::3', '12345::1', '1.2.3', '1.2.3.256'])
      expect(keyOf(text)).toBe('192.0.2.1')
  })

  it('is the proxy that was told nothing it can read', () => {
    expect(keyOf('198.51.100.7, nonsense, 10.1.2.3')).toBe('10.1.2.3')
  })

  it('does not believe the header of others', () => {
    expect(keyOf('198.51.100.7', '203.0.113.5')).toBe('203.0.113.5')
    expect(keyOf('198.51.100.7', '192.0.2.1', '')).toBe('192.0.2.1')
  })

  it('proxies are named by their addresses', () => {
    for (const proxies of ['0', '1', 'proxy.test', '10.0.0.0/33', '10.0.0/8', '10.0.0.1;10.0.0.2'])
      expect(() => readSettings({ TRUSTED_PROXIES: proxies })).toThrow('TRUSTED_PROXIES')
  })
})
