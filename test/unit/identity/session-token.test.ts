import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { generateSessionKeys, openSessionTokens } from '../../../src/identity/session-token.ts'

const nowMs = 1_700_000_000_250
const keyPair = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const pair = keyPair('secp384r1')
const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const tokens = await openSessionTokens({ privatePem: pkcs8, publicPem: spki })

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'ES384', typ: 'JWT' }
const payload = { jti: 'j', company_id: null, iat: 1_700_000_000, exp: 1_700_000_600 }

/** A correctly signed token with any claims. */
function signed(head: unknown, body: unknown, key = pair.privateKey): string {
  const text = `${encode(head)}.${encode(body)}`
  const signature = sign('sha384', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

const open = (privatePem: string, publicPem: string | null = null) =>
  openSessionTokens({ privatePem, publicPem }).then(
    () => 'opened',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )

describe('session tokens', () => {
  it('session tokens are ES384 JWTs with exp, iat, jti and company_id', async () => {
    const text = await tokens.issue({ companyId: 'c-1', lifetimeS: 600, nowMs })
    expect(decodeProtectedHeader(text)).toEqual(header)
    expect(decodeJwt(text)).toEqual({
      company_id: 'c-1',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: 1_700_000_000,
      exp: 1_700_000_600,
    })
  })

  it('session tokens are verified, with a company or without', async () => {
    for (const companyId of ['c-1', null]) {
      const text = await tokens.issue({ companyId, lifetimeS: 600, nowMs })
      expect(await tokens.verify(text, nowMs)).toEqual({
        claims: {
          tokenId: decodeJwt(text).jti,
          companyId,
          issuedAtMs: 1_700_000_000_000,
          expiresAtMs: 1_700_000_600_000,
        },
        isExpired: false,
      })
    }
  })

  it('session tokens are unique', async () => {
    const wanted = { companyId: null, lifetimeS: 600, nowMs }
    const ids = await Promise.all([tokens.issue(wanted), tokens.issue(wanted)])
    expect(decodeJwt(ids[0]).jti).not.toBe(decodeJwt(ids[1]).jti)
  })

  it('a session token repeats its challenge to the server', async () => {
    const challenge = { required: true, steps: [{ type: 'gesture', gesture: 'left' }] }
    const text = await tokens.issue({ companyId: null, lifetimeS: 600, nowMs, challenge })
    expect(decodeJwt(text).challenge).toEqual(challenge)
    expect((await tokens.verify(text, nowMs))?.claims.challenge).toEqual(challenge)
  })

  it('an expired session token still returns its claims', async () => {
    const text = await tokens.issue({ companyId: 'c-1', lifetimeS: 600, nowMs })
    expect((await tokens.verify(text, 1_700_000_599_999))?.isExpired).toBe(false)
    const late = await tokens.verify(text, 1_700_000_600_000)
    expect(late).toMatchObject({ isExpired: true, claims: { companyId: 'c-1' } })
  })

  it('a handmade session token with the right key is accepted, so the refusals below are meaningful', async () => {
    expect(await tokens.verify(signed(header, payload), nowMs)).not.toBeNull()
  })

  it.each([
    ['another key', signed(header, payload, keyPair('secp384r1').privateKey)],
    ['no algorithm', `${encode({ ...header, alg: 'none' })}.${encode(payload)}.`],
    ['no algorithm but a signature', signed({ ...header, alg: 'none' }, payload)],
    ['another algorithm', signed({ ...header, alg: 'ES256' }, payload)],
    ['another type', signed({ ...header, typ: 'at+jwt' }, payload)],
    ['no id', signed(header, { ...payload, jti: undefined })],
    ['an id that is a number', signed(header, { ...payload, jti: 7 })],
    ['no company, not even null', signed(header, { ...payload, company_id: undefined })],
    ['a company that is a list', signed(header, { ...payload, company_id: [] })],
    ['no end', signed(header, { ...payload, exp: undefined })],
    ['no beginning', signed(header, { ...payload, iat: undefined })],
    ['over 4 kB', signed(header, { ...payload, extra: 'x'.repeat(4000) })],
    ['a signature of zeros', `${encode(header)}.${encode(payload)}.${'A'.repeat(128)}`],
    ['nothing', ''],
    ['dots', '..'],
  ])('session tokens are refused with %s', async (_name, text) => {
    expect(await tokens.verify(text, nowMs)).toBeNull()
  })

  it('session tokens signed with the public key as a shared secret are refused', async () => {
    const text = `${encode({ ...header, alg: 'HS384' })}.${encode(payload)}`
    const signature = createHmac('sha384', spki).update(text).digest('base64url')
    expect(await tokens.verify(`${text}.${signature}`, nowMs)).toBeNull()
    expect(await tokens.verify(`${text}.${signature.padEnd(128, 'A')}`, nowMs)).toBeNull()
  })

  it('session tokens with any changed character are refused', async () => {
    const text = await tokens.issue({ companyId: 'c-1', lifetimeS: 600, nowMs })
    for (let at = 0; at < text.length; at += 5) {
      const other = text[at] === 'A' ? 'B' : 'A'
      expect(await tokens.verify(`${text.slice(0, at)}${other}${text.slice(at + 1)}`, nowMs)).toBeNull()
    }
  })
})

describe('keys of session tokens', () => {
  it('the public key of session tokens is derived if only the private key is given', async () => {
    const derived = await openSessionTokens({ privatePem: pkcs8, publicPem: null })
    const wanted = { companyId: 'c', lifetimeS: 1, nowMs }
    expect(await derived.verify(await tokens.issue(wanted), nowMs)).not.toBeNull()
    expect(await tokens.verify(await derived.issue(wanted), nowMs)).not.toBeNull()
  })

  it('with the public key alone session tokens are verified, and none are issued', async () => {
    const reader = await openSessionTokens({ privatePem: null, publicPem: spki })
    const wanted = { companyId: 'c', lifetimeS: 1, nowMs }
    expect(await reader.verify(await tokens.issue(wanted), nowMs)).not.toBeNull()
    await expect(reader.issue(wanted)).rejects.toMatchObject({ code: 'not_implemented' })
  })

  it('session tokens of former keys are accepted, whichever comes first', async () => {
    const next = keyPair('secp384r1')
    const publicPem = next.publicKey.export({ type: 'spki', format: 'pem' }).toString() + spki
    const privatePem = next.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const rotated = await openSessionTokens({ privatePem, publicPem })
    const wanted = { companyId: 'c', lifetimeS: 1, nowMs }
    expect(await rotated.verify(await rotated.issue(wanted), nowMs)).not.toBeNull()
    expect(await rotated.verify(await tokens.issue(wanted), nowMs)).not.toBeNull()
    expect(await tokens.verify(await rotated.issue(wanted), nowMs)).toBeNull()
    expect(rotated.published).toHaveLength(2)
  })

  it('published keys are public halves with their use', () => {
    const { x, y } = pair.publicKey.export({ format: 'jwk' })
    const expected = { kty: 'EC', crv: 'P-384', x, y, use: 'sig', alg: 'ES384', kid: expect.any(String) }
    expect(tokens.published).toEqual([expected])
  })

  it('generated keys are PKCS#8 of curve secp384r1, and unique', async () => {
    const [first, second] = await Promise.all([generateSessionKeys(), generateSessionKeys()])
    expect(createPrivateKey(first).asymmetricKeyDetails?.namedCurve).toBe('secp384r1')
    expect(first).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(first).not.toBe(second)
    expect(await open(first)).toBe('opened')
    const itsPublic = createPublicKey(first).export({ type: 'spki', format: 'pem' }).toString()
    expect(await open(first, itsPublic)).toBe('opened')
  })

  it('keys are read from files with other text and line ends', async () => {
    expect(await open(`a comment\r\n${pkcs8.replaceAll('\n', '\r\n')}\r\n`, `\n${spki}`)).toBe('opened')
  })

  it('SEC1 keys are refused with the command to convert them', async () => {
    const sec1 = pair.privateKey.export({ type: 'sec1', format: 'pem' }).toString()
    expect(await open(sec1)).toMatch(/^value_invalid: .*openssl pkcs8 -topk8 -nocrypt/)
    const parameters = '-----BEGIN EC PARAMETERS-----\nBgUrgQQAIg==\n-----END EC PARAMETERS-----\n'
    expect(await open(parameters + sec1)).toMatch(/openssl pkcs8 -topk8 -nocrypt/)
  })

  it('a private and a public key that are not a pair are refused', async () => {
    const other = keyPair('secp384r1').publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(await open(pkcs8, other)).toMatch(/^value_invalid: .*no pair/)
  })

  const pem = { type: 'pkcs8', format: 'pem' } as const
  const encrypted = { ...pem, cipher: 'aes-256-cbc', passphrase: 'secret' }
  const broken = pkcs8.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
  it.each([
    ['another curve', keyPair('prime256v1').privateKey.export(pem).toString()],
    ['another kind', generateKeyPairSync('ed25519').privateKey.export(pem).toString()],
    ['a passphrase', pair.privateKey.export(encrypted).toString()],
    ['broken bytes', broken],
    ['only a public half', spki],
    ['no PEM', 'not a key'],
    ['nothing', ''],
  ])('private keys with %s are refused without repeating them', async (_name, privatePem) => {
    const answer = await open(privatePem)
    expect(answer).toMatch(/^value_invalid: .*PKCS#8 PEM of curve secp384r1$/)
  })

  it.each([
    ['of another curve', keyPair('prime256v1').publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['which is the private one', pkcs8],
    ['which is nothing', ''],
  ])('public keys %s are refused', async (_name, publicPem) => {
    expect(await open(pkcs8, publicPem)).toMatch(/^value_invalid: .*SPKI PEM of curve secp384r1$/)
  })
})
