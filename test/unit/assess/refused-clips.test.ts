/** Refusals of what is no picture name the pictures that are read here, in all places alike. */

import { describe, expect, it } from 'vitest'
import { acceptedTypes, requirePicture } from '../../../src/media/accepted-media.ts'
import type { PictureFormatId } from '../../../src/media/formats/registry.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { clipFormats } from '../../../src/media/video/formats/registry.ts'
import { headeredMp4 } from '../../fixtures/clip-headers.ts'

const clip = headeredMp4({ width: 640, height: 480, seconds: 1, pictures: 30 })

describe.each<[readonly PictureFormatId[], string]>([
  [[], 'JPEG, PNG, WebP, AVIF or HEIC'],
  [['heic'], 'JPEG, PNG, WebP or AVIF'],
  [['avif', 'heic'], 'JPEG, PNG or WebP'],
])('without a decoder of %j', (lacking, names) => {
  const refusal = { code: 'media_unsupported', details: { expected: expect.stringContaining(names) } }

  it('a clip and a document are refused where a picture is needed', () => {
    for (const bytes of [clip, new TextEncoder().encode('%PDF-1.7')])
      expect(() => requirePicture(openMedium(bytes), acceptedTypes(clipFormats, lacking))).toThrow(
        expect.objectContaining({ ...refusal, details: expect.objectContaining({ expected: names }) }),
      )
  })
})
