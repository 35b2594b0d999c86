import { describe, expect, it } from 'vitest'
import type { Orientation } from '../../../src/media/exif.ts'
import { JpegRefused, type OpenJpeg } from '../../../src/media/formats/jpeg/jpeg-decoder.ts'
import { orientImage } from '../../../src/media/orient-image.ts'
import { type OpenSource, openJpegSource } from '../../../src/media/picture-source.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

const size = { width: 2704, height: 120 }
const large = await testCodecs.encodeJpeg({ image: ramp(size.width, size.height), quality: 90 })
const whole = await testCodecs.decode('jpeg', large)

const open = (orientation: Orientation): OpenSource => openJpegSource(testCodecs, large, size, orientation)!

describe('a large JPEG as a source', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
    'has the pixels of the upright picture: orientation %i',
    (orientation) => {
      const upright = orientImage(whole, orientation)
      const { source, close } = open(orientation)
      expect([source.width, source.height]).toEqual([upright.width, upright.height])
      const columns = Int32Array.from([0, 1, 50, 119].filter((x) => x < upright.width))
      const rows = Int32Array.from([3, 4, 90].filter((y) => y < upright.height))
      const picked = source.pick(0, columns, rows)
      expect([picked.width, picked.height]).toEqual([columns.length, rows.length])
      const expected = [...rows].flatMap((y) =>
        [...columns].flatMap((x) => [
          ...upright.data.subarray((y * upright.width + x) * 4, (y * upright.width + x) * 4 + 4),
        ]),
      )
      expect([...picked.data]).toEqual(expected)
      expect(Buffer.from(source.decode(0).data).equals(Buffer.from(upright.data))).toBe(true)
      const half = source.decode(1)
      expect([half.width, half.height]).toEqual([upright.width >> 1, upright.height >> 1])
      close()
    },
  )

  it('begins with a level of 960 to 1919 pixels, or an eighth', async () => {
    const levels = []
    for (const width of [2561, 3839, 3840, 7679, 7680, 16_384]) {
      const bytes = await testCodecs.encodeJpeg({ image: ramp(width, 16), quality: 50 })
      const { source, close } = openJpegSource(testCodecs, bytes, { width, height: 16 }, 1)!
      levels.push(source.firstLevel)
      close()
    }
    expect(levels).toEqual([1, 1, 2, 2, 3, 3])
  })

  it('is not opened for small, damaged and rare files', async () => {
    const small = await testCodecs.encodeJpeg({ image: ramp(2560, 16), quality: 50 })
    expect(openJpegSource(testCodecs, small, { width: 2560, height: 16 }, 1)).toBeNull()
    const damaged = large.slice()
    // No code has this many ones.
    damaged.set([0xff, 0, 0xff, 0, 0xff, 0], large.length / 2)
    expect(openJpegSource(testCodecs, damaged, size, 1)).toBeNull()
    const arithmetic = large.slice()
    arithmetic[arithmetic.findIndex((byte, i) => byte === 0xff && arithmetic[i + 1] === 0xc0) + 1] = 0xc9
    expect(openJpegSource(testCodecs, arithmetic, size, 1)).toBeNull()
  })

  it('is unreadable if a later look at it fails', () => {
    const fail = () => {
      throw new JpegRefused(-3)
    }
    const picture: OpenJpeg = {
      ...size,
      decode: (scale) => (scale > 0 ? whole : fail()),
      pick: fail,
      close() {},
    }
    const { source } = openJpegSource({ ...testCodecs, openJpeg: () => picture }, large, size, 1)!
    const unreadable = expect.objectContaining({ code: 'media_unreadable' })
    expect(() => source.decode(0)).toThrow(unreadable)
    expect(() => source.pick(0, Int32Array.of(0), Int32Array.of(0))).toThrow(unreadable)
  })

  it('keeps its memory while others are opened', () => {
    const first = open(1)
    const second = open(3)
    const place = Int32Array.of(1000)
    const row = Int32Array.of(100)
    expect(first.source.pick(0, place, row).data).toEqual(
      whole.data.slice((100 * 2704 + 1000) * 4, (100 * 2704 + 1001) * 4),
    )
    expect(second.source.pick(0, place, Int32Array.of(19)).data).toEqual(
      whole.data.slice((100 * 2704 + 1703) * 4, (100 * 2704 + 1704) * 4),
    )
    first.close()
    second.close()
  })
})
