import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/errors.ts'
import { readWebpHeader } from '../../../../../src/media/formats/webp/webp-header.ts'
import { HeaderCursor, threadBudget } from '../../../../../src/media/header-cursor.ts'
import { concat } from '../../../../fixtures/pictures.ts'

const headerOf = (bytes: Uint8Array) => readWebpHeader(new HeaderCursor(bytes, threadBudget()))
const ascii = (text: string) => new TextEncoder().encode(text)

function chunk(name: string, content: Uint8Array): Uint8Array {
  const head = new Uint8Array(8)
  head.set(ascii(name))
  new DataView(head.buffer).setUint32(4, content.length, true)
  return concat(head, content, new Uint8Array(content.length % 2))
}

const webp = (...chunks: Uint8Array[]) => concat(ascii('RIFF'), new Uint8Array(4), ascii('WEBP'), ...chunks)

/** Frame header of a lossy picture. */
function lossy(width: number, height: number): Uint8Array {
  const content = new Uint8Array(10)
  content.set([0x9d, 0x01, 0x2a], 3)
  const view = new DataView(content.buffer)
  view.setUint16(6, width, true)
  view.setUint16(8, height, true)
  return chunk('VP8 ', content)
}

function canvas(width: number, height: number): Uint8Array {
  const content = new Uint8Array(10)
  content.set([(width - 1) & 255, (width - 1) >> 8, 0, (height - 1) & 255, (height - 1) >> 8, 0], 4)
  return chunk('VP8X', content)
}

describe('readWebpHeader', () => {
  it('reads the size of a lossy picture', () => {
    expect(headerOf(webp(lossy(640, 480)))).toMatchObject({ width: 640, height: 480 })
  })

  it('reads the size of a lossless picture', () => {
    const bits = ((480 - 1) << 14) | (640 - 1)
    const content = Uint8Array.of(0x2f, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, (bits >> 24) & 255)
    expect(headerOf(webp(chunk('VP8L', content)))).toMatchObject({ width: 640, height: 480 })
  })

  it('uses the picture size if the canvas is smaller', () => {
    expect(headerOf(webp(canvas(10, 10), lossy(16000, 16000)))).toMatchObject({
      width: 16000,
      height: 16000,
    })
  })

  it('refuses animations and headless files', () => {
    const codeOf = (bytes: Uint8Array) => {
      try {
        headerOf(bytes)
      } catch (error) {
        return error instanceof AppError ? error.code : error
      }
      return 'accepted'
    }
    expect(codeOf(webp(canvas(10, 10), chunk('ANIM', new Uint8Array(6))))).toBe('media_unsupported')
    expect(codeOf(webp())).toBe('media_unreadable')
  })
})
