/** A border that anybody can draw around a photo neither lets an attack pass nor makes a person look like one. */
import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { shrinkToSide } from '../../../src/vision/resample.ts'
import { pictureEdits } from '../../../tools/accuracy/edits/picture-edits.ts'
import { testCodecs, toPyramid } from '../../fixtures/codecs.ts'
import { assessPhoto, profileName } from '../../fixtures/networks.ts'
import { decode, portraitImage } from '../../fixtures/portraits.ts'
import { hasTestData, testData } from '../../fixtures/test-data.ts'

const wanted = { faces: true, template: false, pad: true, bestShot: false }
const borders = pictureEdits.filter(
  ({ isBorder, name }) => isBorder && (name.endsWith(' 30 %') || name.endsWith('above, below')),
)

/** Near the threshold a border may change the verdict (docs/liveness.md); these are further from it. */
const clear = {
  standard: { person: 'brunette', attacks: ['F1', 'F2'] },
  embedded: { person: 'redhead', attacks: ['F1'] },
} as const
const { person, attacks } = clear[profileName as keyof typeof clear]

/** The scores of a picture as it is and with each border. */
async function scores(image: RgbaImage): Promise<Record<string, number | null>> {
  const look = async (edited: RgbaImage) => {
    const { faces, subject } = await assessPhoto(
      await testCodecs.encodeJpeg({ image: edited, quality: 100 }),
      wanted,
    )
    return { box: faces[0]!.box, score: subject?.pad.status === 'assessed' ? subject.pad.attack : null }
  }
  const { box, score } = await look(image)
  const scored: Record<string, number | null> = { 'as it is': score }
  for (const { name, change } of borders) scored[name] = (await look(change({ image, box }))).score
  return scored
}

describe('photos with borders', () => {
  /** The face is detected again without the border: before, plain borders moved these scores by 0.3 to 0.4. */
  it.skipIf(profileName !== 'standard')('plain borders hardly move the score', async () => {
    const image = shrinkToSide(toPyramid(await portraitImage('redhead')), 640)
    const scored = await scores(image)
    for (const name of [
      'grey border, 30 %',
      'black border, 30 %',
      'white border, 30 %',
      'textured border, 30 %',
      'black border, 30 %, above, below',
    ])
      expect(Math.abs(scored[name]! - scored['as it is']!), name).toBeLessThan(0.2)
  })

  /** In a tight picture, too, the face is detected as without its border: the border used to reach into its box. */
  it.skipIf(profileName !== 'standard')('hardly move the score after a tight crop', async () => {
    const image = shrinkToSide(toPyramid(await portraitImage('redhead')), 640)
    const look = async (edited: RgbaImage) => {
      const bytes = await testCodecs.encodeJpeg({ image: edited, quality: 100 })
      const { faces, subject } = await assessPhoto(bytes, wanted)
      return { box: faces[0]!.box, pad: subject!.pad as { attack: number } }
    }
    const { box } = await look(image)
    const edited = (name: string) =>
      look(pictureEdits.find((edit) => edit.name === name)!.change({ image, box }))
    const alone = await edited('a crop of 1.2 faces')
    for (const border of ['replicated', 'reflected', 'grey']) {
      const { pad } = await edited(`${border} border, 30 %, after a crop of 1.2 faces`)
      expect(Math.abs(pad.attack - alone.pad.attack), border).toBeLessThan(0.1)
    }
  })

  it('a person passes', async () => {
    const image = shrinkToSide(toPyramid(await portraitImage(person)), 640)
    const scored = await scores(image)
    expect(Object.keys(scored).length).toBeGreaterThan(5)
    for (const [name, score] of Object.entries(scored)) expect(score, name).toBeLessThan(0.5)
  })

  it.skipIf(!hasTestData).each(attacks)(
    `the recapture %s is declined${hasTestData ? '' : ' (skipped: TEST_DATA_DIR is not set)'}`,
    async (name) => {
      const whole = await decode(await testData('pad', 'spoof', `minivision_image_${name}.jpg`))
      const scored = await scores(shrinkToSide(toPyramid(whole), 640))
      for (const [edit, score] of Object.entries(scored)) expect(score, edit).toBeGreaterThanOrEqual(0.5)
    },
  )
})
