/** What is particular to encrypted blobs; `blob-stores.test.ts` runs the suite of all stores on them. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { BlobStore } from '../../../../src/storage/blobs/blob-store.ts'
import { type MemoryBlobs, memoryBlobs } from '../../../../src/storage/blobs/memory-blobs.ts'
import { type EncryptedBlobs, encryptedBlobs } from '../../../../src/storage/encryption/encrypted-blobs.ts'
import { headBytes, pieceBytes, sealedPieceBytes } from '../../../../src/storage/encryption/envelope.ts'
import { memoryKeys } from '../../../fixtures/data-keys.ts'

const jpeg = 'image/jpeg'
const photo = 'owner/photo.jpg'
const plain = new Uint8Array(3 * pieceBytes + 100).map((_, at) => (at * 31) % 251)

let inner: MemoryBlobs
let keys: Awaited<ReturnType<typeof memoryKeys>>
let store: EncryptedBlobs
beforeEach(async () => {
  inner = memoryBlobs()
  keys = await memoryKeys()
  store = encryptedBlobs(inner, keys)
})

const readAll = async (body: ReadableStream): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer())

async function openBytes(start?: number, end?: number): Promise<Buffer | null> {
  const opened = await store.open(photo, start === undefined ? undefined : { start, end: end! })
  return opened && readAll(opened.body)
}

/** Faster than to compare number by number. */
const isSame = (bytes: Uint8Array | null, wanted: Uint8Array): boolean =>
  bytes !== null && Buffer.from(bytes).equals(wanted)

describe('encrypted blobs', () => {
  it('leave nothing plain in the store below', async () => {
    await store.put(photo, plain, jpeg)
    const below = Buffer.from((await inner.read(photo))!)
    for (let at = 0; at < plain.length - 32; at += 1000)
      expect(below.includes(Buffer.from(plain.subarray(at, at + 32)))).toBe(false)
  })

  it.each([
    [0, 0],
    [0, plain.length - 1],
    [pieceBytes - 1, pieceBytes],
    [pieceBytes, 2 * pieceBytes - 1],
    [2 * pieceBytes + 7, 3 * pieceBytes + 50],
    [3 * pieceBytes, plain.length - 1],
  ])('open the range %i to %i', async (start, end) => {
    await store.put(photo, plain, jpeg)
    expect(isSame(await openBytes(start, end), plain.subarray(start, end + 1))).toBe(true)
  })

  it('open a range of a plain blob that is encrypted meanwhile', async () => {
    await inner.put(photo, plain, jpeg)
    let opens = 0
    const { open } = inner
    const beside: BlobStore = {
      ...inner,
      async open(name, range) {
        if (++opens === 2) await store.put(photo, plain, jpeg)
        return open(name, range)
      },
    }
    const opened = await encryptedBlobs(beside, keys).open(photo, { start: 5, end: 99 })
    expect(opened?.size).toBe(plain.length)
    expect(isSame(await readAll(opened!.body), plain.subarray(5, 100))).toBe(true)
  })

  it('open a stream that comes in small parts', async () => {
    await store.put(photo, plain, jpeg)
    const whole = (await inner.read(photo))!
    const parts = Array.from({ length: Math.ceil(whole.length / 777) }, (_, at) =>
      whole.slice(at * 777, (at + 1) * 777),
    )
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.shift()
        if (part) controller.enqueue(part)
        else controller.close()
      },
    })
    const sliced = encryptedBlobs(
      { ...inner, open: async () => ({ body, size: whole.length, mimeType: jpeg }) },
      keys,
    )
    const opened = await sliced.open(photo)
    expect(isSame(await readAll(opened!.body), plain)).toBe(true)
  })

  it('read what was stored in plain before, whole, in ranges and its size', async () => {
    await inner.put(photo, plain, jpeg)
    expect(isSame(await store.read(photo), plain)).toBe(true)
    expect(isSame(await openBytes(), plain)).toBe(true)
    expect(isSame(await openBytes(5, 70_000), plain.subarray(5, 70_001))).toBe(true)
    expect(await store.stat(photo)).toEqual({ size: plain.length, mimeType: jpeg })
    await inner.put('owner/tiny.jpg', Uint8Array.of(1), jpeg)
    expect(await store.stat('owner/tiny.jpg')).toEqual({ size: 1, mimeType: jpeg })
    expect([await store.isPlain(photo), await store.isPlain('owner/none.jpg')]).toEqual([true, null])
    await store.put(photo, plain, jpeg)
    expect(await store.isPlain(photo)).toBe(false)
  })

  it('count as missing once the key of their owner is destroyed', async () => {
    await store.put(photo, plain, jpeg)
    keys.destroy('owner')
    expect([await store.read(photo), await store.stat(photo)]).toEqual([null, null])
    expect([await openBytes(), await openBytes(0, 3)]).toEqual([null, null])
  })

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['cut off after a piece', (bytes) => bytes.slice(0, headBytes + sealedPieceBytes)],
    ['cut off within a piece', (bytes) => bytes.slice(0, -1)],
    ['cut off after its head', (bytes) => bytes.slice(0, headBytes)],
    ['changed', (bytes) => bytes.with(headBytes + 9, bytes[headBytes + 9]! ^ 1) as Uint8Array],
    ['of another name', (bytes) => bytes],
  ])('fail, and tell no name, if a file is %s', async (what, change) => {
    await store.put(what === 'of another name' ? 'owner/other.jpg' : photo, plain, jpeg)
    const [stored = ''] = inner.keys()
    await inner.put(photo, change((await inner.read(stored))!), jpeg)
    const failure = { code: 'external_failed', message: 'the media storage failed' }
    await expect(store.read(photo)).rejects.toMatchObject(failure)
    await expect(openBytes()).rejects.toMatchObject(failure)
  })
})
