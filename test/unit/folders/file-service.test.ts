import { describe, expect, it } from 'vitest'
import { FileService } from '../../../src/folders/file-service.ts'
import { frameFile, parseFrameFile } from '../../../src/records/medium.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { zip } from '../../fixtures/zip.ts'

const folder = '5f0c1d5e-7a55-4d0e-9f35-3f9c7f6a1b11'
const medium = '0b9a2c44-41c3-4f7b-8a34-2d3de0f5a922'

const jpeg = (last: number) => Uint8Array.of(0xff, 0xd8, 0xff, last)
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

async function open(index: number, range?: { start: number; end: number }) {
  const blobs = memoryBlobs()
  const frames = {
    'f10.jpg': jpeg(10),
    'f2.jpg': jpeg(2),
    'f1.jpg': jpeg(1),
    'f11.png': png,
    'f12.txt': png.slice(1),
  }
  await blobs.put(
    `${folder}/${medium}.zip`,
    zip({ ...frames, '__MACOSX/f0.jpg': jpeg(0) }),
    'application/zip',
  )
  const none = { head: async () => null, find: async () => null }
  const files = new FileService({ blobs, folders: none, collections: none })
  const opened = await files.open(frameFile(folder, medium, index), range)
  if (!opened) return null
  const bytes = new Uint8Array(await new Response(opened.body).arrayBuffer())
  return { bytes, size: opened.size, mimeType: opened.mimeType }
}

describe('frames of archives', () => {
  it.each([
    [0, jpeg(1), 'image/jpeg'],
    [1, jpeg(2), 'image/jpeg'],
    [2, jpeg(10), 'image/jpeg'],
    [3, png, 'image/png'],
  ])('frame %i is read from the archive, in the order of names', async (index, bytes, mimeType) => {
    expect(await open(index)).toEqual({ bytes, size: bytes.length, mimeType })
  })

  it('a range of a frame', async () => {
    expect(await open(2, { start: 1, end: 3 })).toMatchObject({ bytes: jpeg(10).slice(1), size: 4 })
  })

  it.each([4, 5, 999])('there is no frame %i', async (index) => {
    expect(await open(index)).toBeNull()
  })

  it('only names of frames stand for frames', () => {
    expect(parseFrameFile(frameFile(folder, medium, 119))).toEqual({
      archive: `${folder}/${medium}.zip`,
      index: 119,
    })
    for (const name of ['_frame', '_frame1000', '_best', '']) {
      expect(parseFrameFile(`${folder}/${medium}${name}.jpg`)).toBeNull()
    }
  })
})
