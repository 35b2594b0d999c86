import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { generateContainerKey, openContainerKeys } from '../../../src/container/container-keys.ts'

const pem = await generateContainerKey()
const keys = await openContainerKeys(pem)
const header = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', typ: 'vivace-container', kid: keys.published.kid! }

/** A head with any header, sealed to any key. */
const sealed = async (change: object = {}, recipient: JWK = keys.published) =>
  new CompactEncrypt(new TextEncoder().encode('{}'))
    .setProtectedHeader({ ...header, ...change } as never)
    .encrypt(await importJWK(recipient, 'ECDH-ES+A256KW'))

const outcome = (jwe: string, ring = keys) =>
  ring.openHead(jwe).then(
    () => 'opened',
    ({ code }: { code: string }) => code,
  )

describe('keys of containers', () => {
  it('the published key is the public half, with its use, algorithm and thumbprint', async () => {
    const { kty, crv, x, y, ...rest } = keys.published
    expect({ kty, crv }).toEqual({ kty: 'EC', crv: 'P-256' })
    expect(rest).toEqual({
      use: 'enc',
      alg: 'ECDH-ES+A256KW',
      kid: await calculateJwkThumbprint({ kty, crv, x, y } as JWK),
    })
    expect(createPrivateKey(pem).export({ format: 'jwk' })).toMatchObject({ x, y })
  })

  it('a head that is sealed to the published key is opened', async () => {
    expect(await outcome(await sealed())).toBe('opened')
  })

  it('a former key still opens heads, and is no longer published', async () => {
    const rotated = await openContainerKeys(`${await generateContainerKey()}\n${pem}`)
    expect(rotated.published.kid).not.toBe(keys.published.kid)
    expect(await outcome(await sealed(), rotated)).toBe('opened')
    expect(await outcome(await sealed(), await openContainerKeys(await generateContainerKey()))).toBe(
      'container_damaged',
    )
  })

  it.each([
    [
      'of another key under this name',
      async () => {
        const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256' })
        return sealed({}, await exportJWK(publicKey))
      },
    ],
    ['without the name of a key', () => sealed({ kid: undefined })],
    ['of an unknown key', () => sealed({ kid: 'k' })],
    ['with a changed tag', async () => (await sealed()).replace(/.{4}$/, 'AAAA')],
    [
      'with a changed ciphertext',
      async () => {
        const parts = (await sealed()).split('.')
        return [...parts.slice(0, 3), 'AAA', parts[4]].join('.')
      },
    ],
    [
      'with a changed header',
      async () => {
        const [, ...rest] = (await sealed()).split('.')
        const other = Buffer.from(JSON.stringify({ ...header, epk: keys.published })).toString('base64url')
        return [other, ...rest].join('.')
      },
    ],
    [
      'with a point beside the curve',
      async () => {
        const [, ...rest] = (await sealed()).split('.')
        const epk = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }
        const other = Buffer.from(JSON.stringify({ ...header, epk })).toString('base64url')
        return [other, ...rest].join('.')
      },
    ],
    [
      'without an ephemeral key',
      async () => {
        const [, ...rest] = (await sealed()).split('.')
        return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.')
      },
    ],
    ['that is no JWE', async () => 'a.b.c.d.e'],
    ['that is empty', async () => ''],
    ['that is cut', async () => (await sealed()).slice(0, 300)],
  ])('heads %s are damaged', async (_name, make) => {
    expect(await outcome(await make())).toBe('container_damaged')
  })

  const handmade = (change: object) =>
    `${Buffer.from(JSON.stringify({ ...header, ...change })).toString('base64url')}.AAAA.AAAA.AAAA.AAAA`
  it.each([
    ['no algorithm', handmade({ alg: 'none' })],
    ['a shared secret', handmade({ alg: 'dir' })],
    ['a direct agreement', handmade({ alg: 'ECDH-ES' })],
    ['RSA', handmade({ alg: 'RSA-OAEP-256' })],
    ['RSA 1.5', handmade({ alg: 'RSA1_5' })],
    ['a password', handmade({ alg: 'PBES2-HS512+A256KW', p2c: 2 ** 30, p2s: 'AAAA' })],
    ['a signature', handmade({ alg: 'HS256' })],
    ['another encryption', handmade({ enc: 'A128CBC-HS256' })],
    ['compression', handmade({ zip: 'DEF' })],
    ['critical members', handmade({ crit: ['exp'], exp: 1 })],
    ['another type', handmade({ typ: 'JWT' })],
    ['no type', handmade({ typ: undefined })],
    ['a party', handmade({ apu: 'AAAA' })],
    ['algorithms in a list', handmade({ alg: ['ECDH-ES+A256KW'] })],
  ])('heads with %s have an unknown format', async (_name, jwe) => {
    expect(await outcome(jwe)).toBe('container_unreadable')
  })

  const form = { type: 'pkcs8', format: 'pem' } as const
  it.each([
    ['nothing', ''],
    ['text', 'not a key'],
    [
      'another curve',
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey.export(form).toString(),
    ],
    ['another kind', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(form).toString()],
    ['one good and one bad', `${pem}\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----`],
  ])('%s is refused as a key, without repeating it', async (_name, text) => {
    const message = 'Keys of containers must be unencrypted PKCS#8 PEM of curve P-256'
    await expect(openContainerKeys(text)).rejects.toThrow(message)
  })
})
