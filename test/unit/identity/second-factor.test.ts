import { describe, expect, it } from 'vitest'
import { randomBytes } from '../../../src/identity/passwords.ts'
import { newSecret, secretAddress, stepOfCode } from '../../../src/identity/second-factor.ts'

/** The secret of RFC 6238, appendix B: `12345678901234567890`. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of authenticator apps', () => {
  // The last six digits of the table's eight.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238: at %i s', (timeS, code) => {
    expect(stepOfCode(code, secret, timeS * 1000)).toBe(Math.floor(timeS / 30))
  })

  it('count half a minute earlier and later, with spaces too', () => {
    const at = (timeS: number) => stepOfCode('287 082', secret, timeS * 1000)
    expect([at(0), at(59), at(89)]).toEqual([1, 1, 1])
    expect(at(90)).toBeNull()
  })

  it.each(['', '28708', '2870821', '287083', 'abcdef', '２８７０８２'])('are nothing else: %j', (code) => {
    expect(stepOfCode(code, secret, 59_000)).toBeNull()
  })

  it('come from a secret of 160 bits, which an app takes over by its address', () => {
    const [one, other] = [newSecret(randomBytes), newSecret(randomBytes)]
    expect(one).toMatch(/^[A-Z2-7]{32}$/)
    expect(one).not.toBe(other)
    const address = new URL(secretAddress(secret, 'ada+1@example.com'))
    expect([address.protocol, address.host]).toEqual(['otpauth:', 'totp'])
    expect(decodeURIComponent(address.pathname)).toBe('/Vivace:ada+1@example.com')
    // A QR code holds it, and draws in no time.
    const long = secretAddress(secret, `${'\u{1f600}'.repeat(100)}@example.com`)
    expect(long.length).toBeLessThan(1000)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      ...{ secret, issuer: 'Vivace', algorithm: 'SHA1', digits: '6', period: '30' },
    })
  })
})
