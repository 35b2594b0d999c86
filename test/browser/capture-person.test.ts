/** `<vivace-capture>` with a real face in front of the camera. */
import { describe, expect, it } from 'vitest'
import { chromiumNote, hasChromium, openChromium } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { hasFitData, hasTestData, movingPerson, turningPerson } from '../fixtures/fake-camera.ts'
import { captureAndSend, main, openCapture, phaseIs, slowTime } from './capture-page.ts'

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

    it.skipIf(!hasFitData)('says so when it sees the head turn, and not of another turn', async () => {
      const opened = await openChromium(await turningPerson())
      /** What the person is told from the beginning of the recording on. */
      const tellsOf = async (gesture: string) => {
        const { page } = await openCapture(opened, `seal=never&gesture=${gesture}`)
        await main(page).click()
        await phaseIs(page, 'framing')
        await page.waitForFunction(() =>
          document.querySelector('vivace-capture')!.shadowRoot!.textContent.includes('Good. Hold still.'),
        )
        await page.evaluate(() => {
          const advice = document.querySelector('vivace-capture')!.shadowRoot!.querySelector('.advice')!
          const told: (string | null)[] = []
          Object.assign(window, { told })
          new MutationObserver(() => told.push(advice.textContent)).observe(advice, {
            childList: true,
            characterData: true,
            subtree: true,
          })
        })
        await slowTime(page)
        await main(page).click()
        await phaseIs(page, 'review')
        const told = (await page.evaluate('window.told')) as string[]
        await page.close()
        return told.slice(told.indexOf('Recording. Look at the camera.') + 1, -1)
      }
      try {
        // The camera's person may just look to the right when the recording begins.
        const right = async () => (await tellsOf('right')).join(', ')
        await expect.poll(right, { timeout: 200_000 }).toBe('Turn your head to your right, Good')
        expect(await tellsOf('left')).toEqual(['Turn your head to your left'])
      } finally {
        await opened.close()
      }
    })
  },
)
