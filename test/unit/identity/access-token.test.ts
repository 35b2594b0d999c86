import { createHash, createHmac } from 'node:crypto'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type AccessClaims,
  hashToken,
  issueAccessToken,
  newOpaqueToken,
  readAccessToken,
} from '../../../src/identity/access-token.ts'

const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef')
const issuedAtMs = 1_700_000_000_000
const claims: AccessClaims = {
  tokenId: 't-1',
  userId: 'u-1',
  userType: 'CLIENT',
  companyId: 'c-1',
  issuedAtMs,
  expiresAtMs: issuedAtMs + 900_000,
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const header = { alg: 'HS256', typ: 'at+jwt' }
const payload = {
  sub: 'u-1',
  sid: 't-1',
  user_type: 'CLIENT',
  company_id: 'c-1',
  iat: issuedAtMs / 1000,
  exp: issuedAtMs / 1000 + 900,
  jti: 'j',
}

/** A correctly signed token with any claims. */
function signed(head: unknown, body: unknown, key: Uint8Array | string = secret): string {
  const text = `${encode(head)}.${encode(body)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const read = (text: string) => readAccessToken(text, secret, issuedAtMs)

describe('access tokens', () => {
  it('an access token returns its claims', async () => {
    expect(await read(await issueAccessToken(claims, secret))).toEqual({ claims, isExpired: false })
    const ofSystem: AccessClaims = { ...claims, userType: 'ADMIN', companyId: null }
    expect((await read(await issueAccessToken(ofSystem, secret)))?.claims).toEqual(ofSystem)
  })

  it('access tokens are JWTs with exp and iat in whole seconds', async () => {
    const fractional = { ...claims, issuedAtMs: issuedAtMs + 700, expiresAtMs: issuedAtMs + 900_900 }
    const [head, body] = (await issueAccessToken(fractional, secret)).split('.')
    expect(decode(head)).toEqual(header)
    expect(decode(body)).toEqual({ ...payload, jti: expect.any(String) })
  })

  it('access tokens are unique', async () => {
    const [first, second] = await Promise.all([
      issueAccessToken(claims, secret),
      issueAccessToken(claims, secret),
    ])
    expect(first).not.toBe(second)
  })

  it('an expired access token still returns its claims', async () => {
    const text = await issueAccessToken(claims, secret)
    expect((await readAccessToken(text, secret, claims.expiresAtMs - 1))?.isExpired).toBe(false)
    expect(await readAccessToken(text, secret, claims.expiresAtMs)).toEqual({ claims, isExpired: true })
  })

  it('a handmade access token with the right secret is accepted, so the refusals below are meaningful', async () => {
    expect(await read(signed(header, payload))).toEqual({ claims, isExpired: false })
  })

  it('access tokens with any changed character are refused', async () => {
    const text = await issueAccessToken(claims, secret)
    const changed = [...text].map((letter, at) => {
      const other = letter === 'A' ? 'B' : 'A'
      return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
    })
    const answers = await Promise.all(changed.map(read))
    expect(answers.filter((answer) => answer !== null)).toEqual([])
  })

  it('an access token has only one valid spelling', async () => {
    const text = await issueAccessToken(claims, secret)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = [...alphabet].map((letter) => text.slice(0, -1) + letter).filter((other) => other !== text)
    const spaced = [`${text}=`, `${text} `, ` ${text}`, `${text}\n`, `${text.slice(0, -5)} ${text.slice(-5)}`]
    const answers = await Promise.all([...last, ...spaced].map(read))
    expect(answers.filter((answer) => answer !== null)).toEqual([])
  })

  it.each([
    ['another secret', signed(header, payload, 'another secret of thirty-two by.')],
    ['no algorithm', `${encode({ ...header, alg: 'none' })}.${encode(payload)}.`],
    ['no algorithm but a signature', signed({ ...header, alg: 'none' }, payload)],
    ['a nameless algorithm', signed({ typ: 'at+jwt' }, payload)],
    ['another algorithm', signed({ ...header, alg: 'HS384' }, payload)],
    ['an asymmetric algorithm', signed({ ...header, alg: 'RS256' }, payload)],
    ['another type', signed({ ...header, typ: 'JWT' }, payload)],
    ['no type', signed({ alg: 'HS256' }, payload)],
    ['a type that is no text', signed({ ...header, typ: { toString: 'at+jwt' } }, payload)],
    ['an extension nobody knows', signed({ ...header, crit: ['x'], x: 1 }, payload)],
    ['an unencoded payload', signed({ ...header, crit: ['b64'], b64: false }, payload)],
    ['a key of its own', signed({ ...header, jwk: { kty: 'oct', k: 'AAAA' } }, payload, new Uint8Array(3))],
    ['a role nobody has', signed(header, { ...payload, user_type: 'ROOT' })],
    ['a role inherited from objects', signed(header, { ...payload, user_type: 'constructor' })],
    ['a role in small letters', signed(header, { ...payload, user_type: 'admin' })],
    ['no role', signed(header, { ...payload, user_type: undefined })],
    ['a company that is a number', signed(header, { ...payload, company_id: 1 })],
    ['no company at all', signed(header, { ...payload, company_id: undefined })],
    ['a user that is no text', signed(header, { ...payload, sub: ['u-1'] })],
    ['no token id', signed(header, { ...payload, sid: undefined })],
    ['no end', signed(header, { ...payload, exp: undefined })],
    ['an end that is text', signed(header, { ...payload, exp: '9999999999' })],
    ['no beginning', signed(header, { ...payload, iat: undefined })],
    ['a payload that is a list', signed(header, [payload])],
    ['a payload that is null', signed(header, null)],
    ['a header that is null', signed(null, payload)],
    ['over 4 kB', signed(header, { ...payload, extra: 'x'.repeat(4000) })],
    ['an encrypted form', `${encode({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    ['an opaque token of API 5', 'a'.repeat(128)],
    ['letters of no alphabet', `${'\u0430'.repeat(20)}.${'\u0430'.repeat(20)}.${'\u0430'.repeat(43)}`],
    ['nothing', ''],
    ['dots', '..'],
  ])('access tokens are refused with %s', async (_name, text) => {
    expect(await read(text)).toBeNull()
  })

  it('access tokens signed with a public key as the secret are refused', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const text = await new SignJWT(payload).setProtectedHeader({ ...header, alg: 'ES256' }).sign(privateKey)
    expect(await read(text)).toBeNull()
    expect(await read(signed(header, payload, await exportSPKI(publicKey)))).toBeNull()
  })

  it('session tokens are not accepted as access tokens even at time zero', async () => {
    expect(await read(signed(header, { ...payload, exp: 0 }))).toBeNull()
  })
})

describe('stored tokens', () => {
  it('stored tokens are found by their SHA-256', async () => {
    const text = await issueAccessToken(claims, secret)
    expect(await hashToken(text)).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('opaque tokens', () => {
  it('opaque tokens are 128 lower-case hexadecimal characters of 64 random bytes', () => {
    expect(newOpaqueToken((length) => new Uint8Array(length).fill(0x0a))).toBe('0a'.repeat(64))
    const one = newOpaqueToken((length) => crypto.getRandomValues(new Uint8Array(length)))
    expect(one).toMatch(/^[0-9a-f]{128}$/)
  })
})
