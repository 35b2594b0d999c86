import { describe, expect, it } from 'vitest'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

describe('a codec that failed', () => {
  it('throws an error with the reason, and encodes the next picture', async () => {
    const error = await testCodecs
      .encodeJpeg({ image: ramp(1, 66_000), quality: 80 })
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toMatch(/65535/)
    expect((await testCodecs.encodeJpeg({ image: ramp(16, 16), quality: 80 })).length).toBeGreaterThan(100)
  })
})
