import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { clientKey } from '../../../src/http/client-address.ts'

/** The key of a call from 192.0.2.1 whose one trusted proxy reports an address. */
const keyOf = (forwarded: string): string =>
  clientKey(
    {
      env: { clientAddress: '192.0.2.1' },
      req: { header: () => forwarded },
    } as unknown as Context<AppEnv>,
    { settings: { trustedProxies: 1 } } as Deps,
  )

describe('the rate limit key of a caller behind a trusted proxy', () => {
  it('is the last address that the proxy reports', () => {
    expect(keyOf('203.0.113.9, 198.51.100.7')).toBe('198.51.100.7')
    expect(keyOf('2001:DB8:0:1::5')).toBe('2001:db8:0:1')
  })

  it('is the address of the connection if the proxy reports none', () => {
    for (const text of ['', 'unknown', '1:2:3:4:5:6:7:8:9', '1::2::3', '12345::1', '1.2.3', '1.2.3.256'])
      expect(keyOf(text)).toBe('192.0.2.1')
  })
})
