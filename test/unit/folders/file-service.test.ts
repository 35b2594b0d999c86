import { deflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { FileService } from '../../../src/folders/file-service.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { frameFile, parseFrameFile } from '../../../src/records/medium.ts'
import type { BlobRange, BlobStore } from '../../../src/storage/blobs/blob-store.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { generator } from '../../../tools/soak/hostile-files.ts'
import { forgeZip, zip } from '../../fixtures/zip.ts'

const folder = '5f0c1d5e-7a55-4d0e-9f35-3f9c7f6a1b11'
const medium = '0b9a2c44-41c3-4f7b-8a34-2d3de0f5a922'
const archiveKey = `${folder}/${medium}.zip`

const jpeg = (last: number) => Uint8Array.of(0xff, 0xd8, 0xff, last, 0, 0, 0, 0, 0, 0, 0, 0)
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** A picture as far as its first bytes tell; a quarter of it compresses. */
function largeJpeg(length: number): Uint8Array {
  const random = generator(length)
  const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 192))
  bytes.set(jpeg(1))
  return bytes
}

/** Blobs that count the bytes which are read of them, and the bodies that are neither read to their end nor cancelled. */
function watchedBlobs() {
  const blobs = memoryBlobs()
  const seen = { bytes: 0, unfinished: 0 }
  const store: BlobStore = {
    ...blobs,
    read: () => Promise.reject(new Error('reads the whole archive')),
    async open(key, range) {
      const opened = await blobs.open(key, range)
      if (!opened) return null
      seen.unfinished++
      const bytes = new Uint8Array(await new Response(opened.body).arrayBuffer())
      let at = 0
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const chunk = bytes.slice(at, at + 2 ** 16)
            at += chunk.length
            seen.bytes += chunk.length
            if (chunk.length > 0) return controller.enqueue(chunk)
            seen.unfinished--
            controller.close()
          },
          cancel: () => void seen.unfinished--,
        },
        { highWaterMark: 0 },
      )
      return { ...opened, body }
    },
  }
  return { store, seen }
}

async function serve(archive: Uint8Array) {
  const { store, seen } = watchedBlobs()
  await store.put(archiveKey, archive, 'application/zip')
  const none = { head: async () => null, find: async () => null }
  const files = new FileService({ blobs: store, folders: none, collections: none })
  const open = (index: number, range?: BlobRange, address = '192.0.2.1') =>
    files.open(frameFile(folder, medium, index), range, { caller: anonymousCaller(address) })
  const read = async (index: number, range?: BlobRange, address?: string) => {
    const opened = await open(index, range, address)
    if (!opened) return null
    const bytes = new Uint8Array(await new Response(opened.body).arrayBuffer())
    return { bytes, size: opened.size, mimeType: opened.mimeType }
  }
  return { open, read, seen, store }
}

const few = {
  'f10.jpg': jpeg(10),
  'f2.jpg': jpeg(2),
  'f1.jpg': jpeg(1),
  'f11.png': png,
  'f12.txt': png.slice(1),
  '__MACOSX/f0.jpg': jpeg(0),
}

describe('frames of archives', () => {
  it.each([
    [0, jpeg(1), 'image/jpeg'],
    [1, jpeg(2), 'image/jpeg'],
    [2, jpeg(10), 'image/jpeg'],
    [3, png, 'image/png'],
  ])('frame %i is read from the archive, in the order of names', async (index, bytes, mimeType) => {
    for (const level of [0, 6] as const) {
      const { read, seen } = await serve(zip(few, level))
      expect(await read(index)).toEqual({ bytes, size: bytes.length, mimeType })
      expect(seen.unfinished).toBe(0)
    }
  })

  it.each([4, 5, 999])('there is no frame %i', async (index) => {
    const { read, seen } = await serve(zip(few))
    expect(await read(index)).toBeNull()
    expect(seen.unfinished).toBe(0)
  })

  it('an archive that does not exist has none', async () => {
    const { read, store } = await serve(zip(few))
    await store.delete([archiveKey])
    expect(await read(0)).toBeNull()
  })

  it.each([
    [0, 0],
    [1, 3],
    [11, 11],
    [3, 99_999],
    [70_000, 70_000],
    [99_999, 99_999],
  ])('the range %i to %i of a frame', async (start, end) => {
    const large = largeJpeg(100_000)
    for (const level of [0, 6] as const) {
      const { read, seen } = await serve(zip({ 'a.jpg': large, 'b.jpg': jpeg(2) }, level))
      const part = await read(0, { start, end })
      expect(part).toMatchObject({ size: 100_000 })
      expect(Buffer.compare(part!.bytes, large.subarray(start, end + 1))).toBe(0)
      expect(seen.unfinished).toBe(0)
    }
  })

  it('only what is asked for is read and unpacked', async () => {
    const { open, seen } = await serve(
      forgeZip([0, 1, 2].map((i) => ({ ...packed(largeJpeg(2 ** 20)), name: `${i}.jpg` }))),
    )
    const opened = await open(1)
    await opened!.body.cancel()
    expect(opened!.size).toBe(2 ** 20)
    // The end of the archive, a header and the first piece of the frame.
    expect(seen.bytes).toBeLessThan(300_000)
    expect(seen.unfinished).toBe(0)
  })

  it('of a frame that is not packed only the range is read', async () => {
    const large = largeJpeg(2 ** 20)
    const { read, seen } = await serve(zip({ 'a.jpg': large }))
    const part = await read(0, { start: 2 ** 20 - 10, end: 2 ** 20 - 1 })
    expect(Buffer.compare(part!.bytes, large.subarray(-10))).toBe(0)
    // The end of the archive, a header, the bytes that tell the format, and the range.
    expect(seen.bytes).toBeLessThan(70_000)
  })

  it('unpacking up to a range ends when the caller leaves', async () => {
    const { open, seen } = await serve(zip({ 'a.jpg': largeJpeg(2 ** 21) }, 6))
    const opened = await open(0, { start: 2 ** 21 - 10, end: 2 ** 21 - 1 })
    const reader = opened!.body.getReader()
    const first = reader.read()
    await reader.cancel()
    expect(await first).toEqual({ done: true, value: undefined })
    expect(seen.bytes).toBeLessThan(400_000)
    expect(seen.unfinished).toBe(0)
  })

  it('a very large frame is served too', async () => {
    const large = new Uint8Array(17 * 2 ** 20)
    large.set(jpeg(1))
    const { read } = await serve(zip({ 'a.jpg': large }))
    expect(Buffer.compare((await read(0))!.bytes, large)).toBe(0)
  })

  it('unpacking leaves the loop to others', async () => {
    const large = largeJpeg(2 ** 20)
    const { read } = await serve(zip({ 'a.jpg': large }, 6))
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    try {
      expect(Buffer.compare((await read(0))!.bytes, large)).toBe(0)
    } finally {
      clearInterval(timer)
    }
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  const packed = (bytes: Uint8Array, claimedSize = bytes.length) => ({
    name: 'a.jpg',
    packed: deflateSync(bytes),
    method: 8 as const,
    claimedSize,
  })

  it.each<[string, () => Uint8Array]>([
    ['larger than declared', () => forgeZip([packed(largeJpeg(200_000), 150_000)])],
    ['smaller than declared', () => forgeZip([packed(largeJpeg(200_000), 250_000)])],
    ['a bomb', () => forgeZip([packed(Uint8Array.of(...jpeg(1), ...new Uint8Array(2 ** 16)), 100)])],
  ])('a frame that is %s ends with an error and within its size', async (_, make) => {
    const { open, seen } = await serve(make())
    let length = 0
    const readAll = async () => {
      const opened = await open(0)
      for await (const piece of opened!.body) length += piece.length
      if (length !== opened!.size) throw new TypeError('an incomplete body')
    }
    await expect(readAll()).rejects.toMatchObject({ code: 'media_unreadable' })
    expect(length).toBeLessThanOrEqual(250_000)
    expect(seen.unfinished).toBe(0)
  })

  it('a damaged archive is refused as one, or has a picture of the same length, whichever byte of it', async () => {
    const archive = zip({ 'a.jpg': jpeg(1), 'b.jpg': new Uint8Array(400) }, 6)
    const outcomes: string[] = []
    for (let at = 0; at < archive.length; at++) {
      const broken = archive.slice()
      broken[at]! ^= 0xff
      const { read, seen } = await serve(broken)
      const code = await read(0).then(
        (frame) => (frame === null ? 'no picture' : `${frame.bytes.length} bytes`),
        (error: { code: string }) => error.code,
      )
      outcomes.push(code)
      expect(seen.unfinished).toBe(0)
    }
    // Nothing else: neither part of a frame, nor a fault of ours.
    expect(new Set(outcomes)).toEqual(new Set(['media_unreadable', 'no picture', '12 bytes']))
    expect(outcomes.filter((code) => code === 'media_unreadable').length).toBeGreaterThan(40)
  })

  it('too many at once are refused, but not those of a caller who asks for one', async () => {
    const { read, seen } = await serve(zip({ 'a.jpg': largeJpeg(2000) }, 6))
    const many = Array.from({ length: 400 }, () => read(0))
    const another = read(0, undefined, '192.0.2.2')
    const outcomes = await Promise.allSettled(many)
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code] : [],
    )
    expect(new Set(refused)).toEqual(new Set(['overloaded']))
    expect(refused.length).toBeLessThan(400)
    expect((await another)!.bytes.length).toBe(2000)
    expect(seen.unfinished).toBe(0)
  })

  it('only names of frames stand for frames', () => {
    expect(parseFrameFile(frameFile(folder, medium, 119))).toEqual({ archive: archiveKey, index: 119 })
    for (const name of ['_frame', '_frame1000', '_best', '']) {
      expect(parseFrameFile(`${folder}/${medium}${name}.jpg`)).toBeNull()
    }
  })
})
