/** What the client seals, read with jose and WebCrypto alone, as the specification says. */
import { compactDecrypt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { readSessionToken, type SealInput, sealContainer } from '../../../client/seal.ts'
import { partIv, splitContainer } from '../../../src/container/format.ts'

const { publicKey, privateKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256' })
const recipient = { ...(await exportJWK(publicKey)), use: 'enc', alg: 'ECDH-ES+A256KW', kid: 'k-1' }
const signing = { kty: 'EC', crv: 'P-384', x: '', y: '', use: 'sig', alg: 'ES384' }
const keys = { keys: [signing, recipient] }
const text = (value: string) => new TextEncoder().encode(value)

const input: SealInput = {
  sessionToken: 'a.b.c',
  keys,
  payload: { analyses: [{ type: 'quality' }] },
  media: [
    {
      name: 'video',
      bytes: text('a clip'),
      tags: ['video_selfie_smile'],
      filename: 'clip.webm',
      evidence: {
        steps: [{ type: 'gesture', gesture: 'smile', from: 0, to: 900 }],
        frames: [[0, 'AAAAAAAAAAAAAAAAAAAAAA']],
      },
    },
    { name: 'photo', bytes: text('a photo'), tags: [] },
  ],
}

async function unseal(container: Uint8Array<ArrayBuffer>) {
  const split = splitContainer(container)
  if (typeof split === 'string') throw new Error(split)
  const { plaintext } = await compactDecrypt(split.head, privateKey)
  const head = JSON.parse(new TextDecoder().decode(plaintext))
  const secret = Buffer.from(head.key.k, 'base64url')
  const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['decrypt'])
  const parts: string[] = []
  let at = 0
  for (const [position, { size }] of head.parts.entries()) {
    const sealed = split.body.subarray(at, at + size + 16)
    const iv = partIv(position)
    parts.push(new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)))
    at += size + 16
  }
  expect(at).toBe(split.body.length)
  return { header: decodeProtectedHeader(split.head), head, parts }
}

describe('sealing', () => {
  it('a sealed container opens with the private key and nothing else', async () => {
    const { header, head, parts } = await unseal(await sealContainer(input))
    expect(header).toEqual({
      alg: 'ECDH-ES+A256KW',
      enc: 'A256GCM',
      typ: 'vivace-container',
      kid: 'k-1',
      epk: { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) },
    })
    expect(head).toMatchObject({ version: 1, session_token: 'a.b.c', key: { kty: 'oct' } })
    expect(head.parts).toEqual([
      { type: 'payload', size: 33 },
      { type: 'media', name: 'video', tags: ['video_selfie_smile'], filename: 'clip.webm', size: 6 },
      { type: 'evidence', name: 'video', size: expect.any(Number) },
      { type: 'media', name: 'photo', tags: [], size: 7 },
    ])
    expect(JSON.parse(parts[0]!)).toEqual(input.payload)
    expect(parts[1]).toBe('a clip')
    expect(JSON.parse(parts[2]!)).toEqual(input.media[0]!.evidence)
    expect(parts[3]).toBe('a photo')
  })

  it('two containers of the same capture share no key and no byte of a part', async () => {
    const [first, second] = [
      await unseal(await sealContainer(input)),
      await unseal(await sealContainer(input)),
    ]
    expect(first.head.key.k).not.toBe(second.head.key.k)
    expect(Buffer.from(first.head.key.k, 'base64url')).toHaveLength(32)
  })

  it('containers are sealed into containers', async () => {
    const { payload, ...rest } = input
    const inner = await sealContainer(rest)
    expect((await unseal(inner)).head.parts.map(({ type }: { type: string }) => type)).not.toContain(
      'payload',
    )
    const { head } = await unseal(await sealContainer({ ...input, media: [], containers: [inner] }))
    expect(head.parts[1]).toEqual({ type: 'container', size: inner.length })
  })

  it('keys that seal nothing are refused', async () => {
    await expect(sealContainer({ ...input, keys: { keys: [signing] } })).rejects.toThrow(
      'no key for containers',
    )
  })

  it('names and tags that are too long are refused', async () => {
    const media = [{ ...input.media[1]!, tags: ['x'.repeat(60_000)] }]
    await expect(sealContainer({ ...input, media })).rejects.toThrow('too long')
  })
})

describe('reading session tokens', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('a page reads the challenge and the end of its session token', () => {
    const challenge = { required: true, steps: [{ type: 'gesture', gesture: 'left' }] }
    const claims = { company_id: null, exp: 1_700_000_600, challenge, note: 'ü' }
    const token = `${encode({ alg: 'ES384' })}.${encode(claims)}.s`
    expect(readSessionToken(token)).toEqual({ challenge, expiresAtMs: 1_700_000_600_000 })
  })

  it('tokens without a challenge have none', () => {
    expect(readSessionToken(`.${encode({ exp: 1 })}.`)).toEqual({ challenge: null, expiresAtMs: 1000 })
  })

  it('other texts are refused', () => {
    for (const text of ['', 'a.b.c', 'a.'])
      expect(() => readSessionToken(text)).toThrow('This is no session token')
  })
})
