import { describe, expect, it } from 'vitest'
import { bytesFromBase64, encodeBase64 } from '../../src/base64.ts'
import { generator } from '../fixtures/gallery.ts'

describe('base64', () => {
  const random = generator(7)
  const lengths = [...Array.from({ length: 20 }, (_, length) => length), 1000, 100_001]

  it.each(lengths)('%i bytes of any value become what others read, and are read back', (length) => {
    const bytes = Uint8Array.from({ length }, () => random() * 256)
    const text = encodeBase64(bytes)
    expect(text).toBe(Buffer.from(bytes).toString('base64'))
    expect(bytesFromBase64(text)).toEqual(bytes)
  })

  it('bytes in the middle of others are encoded alone', () => {
    expect(encodeBase64(new Uint8Array([1, 2, 255, 254, 253, 3]).subarray(2, 5))).toBe('//79')
  })
})
