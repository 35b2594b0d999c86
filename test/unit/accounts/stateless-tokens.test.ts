import { describe, expect, it } from 'vitest'
import { verifyTokensStateless } from '../../../src/accounts/stateless-tokens.ts'
import { issueAccessToken } from '../../../src/identity/access-token.ts'

const secret = new TextEncoder().encode('a key of a test that is long enough')
const issuedAtMs = Date.UTC(2030, 0, 1)
const hourMs = 3600_000

describe('a replica without a database', () => {
  const token = (expiresAtMs: number) =>
    issueAccessToken(
      { tokenId: 't', userId: 'u', userType: 'CLIENT_SERVICE', companyId: 'c', issuedAtMs, expiresAtMs },
      secret,
    )
  const use = async (text: string, ageMs: number, key = secret) => {
    const believe = verifyTokensStateless({
      secret: key,
      ageMaxMs: 24 * hourMs,
      nowMs: () => issuedAtMs + ageMs,
    })
    return believe(text).then(
      ({ userId }) => userId,
      (error) => error.code,
    )
  }

  it('a stateless replica accepts a token until it expires', async () => {
    const text = await token(issuedAtMs + hourMs)
    expect(await use(text, hourMs - 1)).toBe('u')
    expect(await use(text, hourMs)).toBe('token_expired')
  })

  it('a stateless replica accepts a long-lived token up to the maximum age only', async () => {
    const text = await token(issuedAtMs + 5 * 365 * 24 * hourMs)
    expect(await use(text, 24 * hourMs - 1)).toBe('u')
    expect(await use(text, 24 * hourMs)).toBe('token_expired')
  })

  it('a stateless replica accepts no token without the key or with another one', async () => {
    const text = await token(issuedAtMs + hourMs)
    expect(await use(text, 0, new Uint8Array())).toBe('token_unknown')
    expect(await use(text, 0, new TextEncoder().encode('another key that is long enough'))).toBe(
      'token_unknown',
    )
  })
})
