import { describe, expect, it } from 'vitest'
import { invariant } from '../../../../../src/errors.ts'
import { isRead, openMedium } from '../../../../../src/media/opened-medium.ts'
import type { ClipHeader } from '../../../../../src/media/video/formats/clip-format.ts'
import { headeredAvi, headeredMp4, headeredWebm } from '../../../../fixtures/clip-headers.ts'
import { clip, hasFfmpeg } from '../../../../fixtures/clips.ts'

function headerOf(bytes: Uint8Array): ClipHeader {
  const medium = openMedium(bytes)
  invariant(medium.kind === 'clip' && isRead(medium.header), 'a clip with a header')
  return medium.header
}
const declared = { width: 1280, height: 720, seconds: 5, pictures: 150 }

describe('the header of a clip', () => {
  it.each([
    ['MP4', headeredMp4(declared)],
    ['MP4 with times of 64 bits', headeredMp4(declared, 1)],
    ['WebM', headeredWebm(declared)],
    ['AVI', headeredAvi(declared)],
  ])('declares size, duration and pictures: %s', (_, bytes) => {
    const { megapixels, durationS, pictures } = headerOf(bytes)
    expect(megapixels).toBeCloseTo(0.9216)
    expect(durationS).toBeCloseTo(5, 3)
    expect(pictures).toBeCloseTo(150, 1)
  })

  it('may leave everything out', () => {
    const silent = { width: 0, height: 0, seconds: 0, pictures: 0 }
    for (const bytes of [headeredMp4(silent), headeredWebm(silent), headeredAvi(silent)])
      expect(headerOf(bytes)).toEqual({ megapixels: null, durationS: null, pictures: null })
  })

  it('may lack its end', () => {
    const { megapixels, durationS } = headerOf(headeredWebm({ ...declared, seconds: 0, pictures: 0 }))
    expect(megapixels).toBeCloseTo(0.9216)
    expect(durationS).toBeNull()
  })

  it
    .skipIf(!hasFfmpeg)
    .each([
      'h264 mp4',
      'h264 mp4 with sound',
      'h264 mp4 turned by 90',
      'h264 mov',
      'hevc mp4',
      'mpeg4 3gp',
      'h264 mkv',
      'vp8 webm',
      'mjpeg avi',
    ] as const)('is read from real files: %s', async (name) => {
    const { megapixels, durationS, pictures } = headerOf(await clip(name))
    expect(megapixels).toBeCloseTo(0.0576, 4)
    expect(durationS).toBeCloseTo(2, 0)
    expect(pictures).toBeCloseTo(60, 0)
  })

  it('leaves the duration out where it is unknown', () => {
    const seconds = 0xffff_ffff / 1000
    expect(headerOf(headeredMp4({ ...declared, seconds })).durationS).toBeNull()
  })

  it.skipIf(!hasFfmpeg).each(['h264 mp4 in fragments', 'vp8 webm of a browser'] as const)(
    'has a size alone in files that are written while they are recorded: %s',
    async (name) => {
      const { megapixels, pictures } = headerOf(await clip(name))
      expect(megapixels).toBeCloseTo(0.0576, 4)
      expect(pictures).toBeNull()
    },
  )
})
