/** Clips whose headers do not end are refused before any decoder searches them: some take it ten seconds. */
import { describe, expect, it } from 'vitest'
import { endlessHeaders } from '../../fixtures/endless-headers.ts'
import { assessPhoto } from '../../fixtures/networks.ts'

const { mov, matroska, ogg } = endlessHeaders
const wanted = { faces: true, pad: false, template: false, bestShot: false }

describe('a clip whose headers do not end', () => {
  it.each(
    Object.entries({ mov, matroska, ogg }).flatMap(([container, units]) =>
      Object.entries(units).map(([unit, make]) => [container, unit, make] as const),
    ),
  )('is refused without a decoder: %s of %s', async (_, __, make) => {
    await expect(assessPhoto(make(), wanted)).rejects.toMatchObject({
      code: 'media_unreadable',
      message: 'The headers of the file do not end. Send another copy',
      details: { reason: 'damaged' },
    })
  })
})
