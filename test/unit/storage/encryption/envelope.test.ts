import { describe, expect, it } from 'vitest'
import {
  decryptRow,
  encryptFile,
  encryptRow,
  headBytes,
  isEncryptedHead,
  makeDataKey,
  openFileCipher,
  pieceBytes,
  plainBytes,
  rewrapDataKey,
  sealedPieceBytes,
  unwrapDataKey,
} from '../../../../src/storage/encryption/envelope.ts'
import { newDataKey, newKek } from '../../../fixtures/data-keys.ts'

const random = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

describe('a wrapped key', () => {
  it('opens what it encrypted, after it was unwrapped again', async () => {
    const kek = await newKek()
    const wrapped = await makeDataKey(kek, 'owner')
    const [first, again] = await Promise.all([1, 2].map(() => unwrapDataKey(kek, 'owner', wrapped)))
    const sealed = await encryptRow(first!, 'here', Uint8Array.of(1, 2, 3))
    expect(await decryptRow(again!, 'here', sealed)).toEqual(Uint8Array.of(1, 2, 3))
  })

  it('does not open for another owner, with another key, or under another id', async () => {
    const kek = await newKek()
    const wrapped = await makeDataKey(kek, 'owner')
    expect(await unwrapDataKey(kek, 'other', wrapped)).toBeNull()
    expect(await unwrapDataKey(await newKek(), 'owner', wrapped)).toBeNull()
    expect(await unwrapDataKey({ ...kek, id: 'k2' }, 'owner', wrapped)).toBeNull()
  })

  it('is the same key after rotation, and the former key opens it no more', async () => {
    const [former, next] = await Promise.all([newKek('k1'), newKek('k2')])
    const wrapped = await makeDataKey(former, 'owner')
    const sealed = await encryptRow((await unwrapDataKey(former, 'owner', wrapped))!, 'here', random(9))
    const again = (await rewrapDataKey(former, next, 'owner', wrapped))!
    expect(await unwrapDataKey(former, 'owner', again)).toBeNull()
    expect(await decryptRow((await unwrapDataKey(next, 'owner', again))!, 'here', sealed)).toHaveLength(9)
    expect(await rewrapDataKey(next, former, 'owner', wrapped)).toBeNull()
  })
})

describe('a value of a row', () => {
  it('never has the length of floats', async () => {
    const key = await newDataKey()
    for (const length of [0, 4, 512]) expect((await encryptRow(key, 'a', random(length))).length % 4).toBe(1)
  })

  it('is another one each time', async () => {
    const key = await newDataKey()
    const plain = random(64)
    expect(await encryptRow(key, 'a', plain)).not.toEqual(await encryptRow(key, 'a', plain))
  })

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['is cut off', (bytes) => bytes.subarray(0, -1)],
    ['has another byte', (bytes) => bytes.with(20, bytes[20]! ^ 1) as Uint8Array],
    ['is of another form', (bytes) => bytes.with(0, 2) as Uint8Array],
    ['is empty', () => new Uint8Array()],
    ['is its nonce', (bytes) => bytes.subarray(0, 13)],
  ])('does not open if it %s', async (_, change) => {
    const key = await newDataKey()
    expect(await decryptRow(key, 'a', change(await encryptRow(key, 'a', random(64))))).toBeNull()
  })

  it('does not open in another place, or with the key of another owner', async () => {
    const key = await newDataKey()
    const sealed = await encryptRow(key, 'a', random(64))
    expect(await decryptRow(key, 'b', sealed)).toBeNull()
    expect(await decryptRow(await newDataKey(), 'a', sealed)).toBeNull()
  })
})

describe('an encrypted file', () => {
  const name = 'folder/photo.jpg'
  const sizes = [0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2 * pieceBytes, 3 * pieceBytes + 5]

  it.each(sizes)('of %i bytes tells its size, and opens piece by piece', async (size) => {
    const key = await newDataKey()
    const plain = random(size)
    const sealed = await encryptFile(key, name, plain)
    expect([isEncryptedHead(sealed), plainBytes(sealed.length)]).toEqual([true, size])
    const cipher = await openFileCipher(key, name, sealed, sealed.length)
    const opened: Uint8Array[] = []
    for (let piece = 0, at = headBytes; piece === 0 || at < sealed.length; piece++, at += sealedPieceBytes)
      opened.push(await cipher.decrypt(piece, sealed.subarray(at, at + sealedPieceBytes)))
    expect(Buffer.concat(opened).equals(plain)).toBe(true)
  })

  it('does not open under another name, or with the key of another owner', async () => {
    const key = await newDataKey()
    const sealed = await encryptFile(key, name, random(10))
    const body = sealed.subarray(headBytes)
    const other = await openFileCipher(key, 'folder/other.jpg', sealed, sealed.length)
    await expect(other.decrypt(0, body)).rejects.toMatchObject({ code: 'external_failed' })
    const stranger = await openFileCipher(await newDataKey(), name, sealed, sealed.length)
    await expect(stranger.decrypt(0, body)).rejects.toMatchObject({ code: 'external_failed' })
  })

  it('does not open where a piece was moved, or the last ones were cut off', async () => {
    const key = await newDataKey()
    const sealed = await encryptFile(key, name, random(3 * pieceBytes))
    const first = sealed.subarray(headBytes, headBytes + sealedPieceBytes)
    const whole = await openFileCipher(key, name, sealed, sealed.length)
    await expect(whole.decrypt(1, first)).rejects.toMatchObject({ code: 'external_failed' })
    const cut = await openFileCipher(key, name, sealed, headBytes + sealedPieceBytes)
    await expect(cut.decrypt(0, first)).rejects.toMatchObject({ code: 'external_failed' })
  })

  it.each([
    ['JPEG', [0xff, 0xd8, 0xff]],
    ['MP4', [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70]],
    ['text', [0x3c, 0x21]],
  ])('is not taken for %s', (_, first) => {
    const head = new Uint8Array(64)
    head.set(first)
    expect(isEncryptedHead(head)).toBe(false)
  })
})
