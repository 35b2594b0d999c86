import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AppError, describeCause } from '../../../src/errors.ts'
import { OpenIdProvider } from '../../../src/identity/openid-provider.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { type IdentityProvider, startIdentityProvider } from '../../fixtures/identity-provider.ts'

const redirect = 'https://vivace.example/console'

describe('a provider', () => {
  let running: IdentityProvider
  let nowMs = 0

  const open = (issuer = running.issuer) =>
    new OpenIdProvider({
      ...{ issuer, clientId: 'vivace', clientSecret: '', rolesClaim: 'groups' },
      nowMs: () => nowMs,
    })

  /** Why a sign-in cannot begin; `null` if it can. */
  async function failure(provider: OpenIdProvider): Promise<string | null> {
    const error = await provider.begin(redirect).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    return error === null
      ? null
      : error instanceof AppError
        ? `${error.code}: ${describeCause(error)}`
        : String(error)
  }

  beforeAll(async () => {
    running = await startIdentityProvider()
  })
  afterEach(() => {
    running.failure = null
  })
  afterAll(() => running.close())

  it('that does not answer is tried again by the next one', async () => {
    const provider = open()
    running.failure = { status: 503, body: '' }
    expect(await failure(provider)).toContain('unexpected HTTP status code')
    running.failure = null
    expect(await failure(provider)).toBeNull()
    expect(await failure(open(`http://127.0.0.1:${await freePort()}`))).toMatch(/external_failed: no answer/)
  })

  it('is asked about itself every ten minutes', async () => {
    const provider = open()
    await provider.begin(redirect)
    running.failure = { status: 503, body: '' }
    nowMs += 599_000
    expect(await failure(provider)).toBeNull()
    nowMs += 2000
    expect(await failure(provider)).toContain('external_failed')
  })

  it.each([
    ['another issuer', { issuer: 'https://elsewhere.example' }],
    ['no page', {}],
    ['a script as page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['no address as page', { authorization_endpoint: 'https:' }],
  ])('that describes itself with %s is refused', async (_, change) => {
    running.failure = { status: 200, body: JSON.stringify({ issuer: running.issuer, ...change }) }
    expect(await failure(open())).toContain('external_failed')
  })

  it('is not followed to another address', async () => {
    const elsewhere = await startIdentityProvider()
    running.failure = {
      status: 302,
      body: '',
      location: `${elsewhere.issuer}/.well-known/openid-configuration`,
    }
    expect(await failure(open())).toContain('unexpected HTTP status code')
    await elsewhere.close()
  })
})
