/** `<vivace-capture>` with a real face in front of the camera. */
import { describe, expect, it } from 'vitest'
import { chromiumNote, hasChromium, openChromium } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { hasTestData, movingPerson } from '../fixtures/fake-camera.ts'
import { captureAndSend, openCapture } from './capture-page.ts'

describe.skipIf(!hasChromium || !hasFfmpeg || !hasTestData)(
  `the page /capture with a person in front of the camera${chromiumNote}`,
  () => {
    it('gets a verdict on a clip of a moving face', async () => {
      const opened = await openChromium(await movingPerson())
      try {
        const { page, told } = await openCapture(opened, 'seal=never')
        await captureAndSend(page)
        const { folder } = told.find(({ name }) => name === 'result')!.detail
        expect(folder.analyses[0].state).toBe('FINISHED')
        expect(folder.media[0].info.video.duration).toBeGreaterThan(2.5)
      } finally {
        await opened.close()
      }
    })
  },
)
