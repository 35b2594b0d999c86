import { describe, expect, it } from 'vitest'
import type { Assessment } from '../../../src/assess/assessment.ts'
import { noClips, testCodecs, testMd5 } from '../../fixtures/codecs.ts'
import { openFileAssessor } from '../../fixtures/file-assessor.ts'
import { generator } from '../../fixtures/gallery.ts'
import { largePhoto } from '../../fixtures/large-photos.ts'
import { engine, profile } from '../../fixtures/networks.ts'
import { group } from '../../fixtures/packages.ts'
import { withOrientation } from '../../fixtures/pictures.ts'
import { decode, pixelsMax, portraitImage } from '../../fixtures/portraits.ts'

const assessWith = (codecs: typeof testCodecs) =>
  openFileAssessor({
    ...noClips,
    engine,
    profile,
    profileName: 'embedded',
    codecs,
    md5: testMd5,
    limits: { pixelsMax },
    monotonicMs: () => performance.now(),
  })
const assess = assessWith(testCodecs)
const assessWhole = assessWith({ ...testCodecs, openJpeg: () => null })
const wanted = { faces: true, template: true, pad: true, bestShot: true }

const templateOf = ({ subject }: Assessment): number[] => {
  const found = subject!.template
  return found.status === 'extracted' ? [...found.template.vector] : []
}
const attackOf = ({ subject }: Assessment): number =>
  subject!.pad.status === 'assessed' ? subject!.pad.attack : Number.NaN

/** Assesses a photo as a source and decoded as a whole, and compares. */
async function expectSame(bytes: Uint8Array): Promise<Assessment> {
  const [found, expected] = [await assess(bytes, wanted), await assessWhole(bytes, wanted)]
  expect(found.source).toEqual(expected.source)
  expect(found.quarterTurns).toBe(expected.quarterTurns)
  expect(found.faces).toHaveLength(expected.faces.length)
  const [face, other] = [found.faces[0]!, expected.faces[0]!]
  const side = Math.max(other.box.width, other.box.height)
  for (const key of ['x', 'y', 'width', 'height'] as const)
    expect(Math.abs(face.box[key] - other.box[key]) / side, key).toBeLessThan(0.02)
  const [quality, usual] = [found.subject!.quality, expected.subject!.quality]
  for (const [key, share] of [
    ['sharpness', 0.05],
    ['brightness', 0.02],
    ['colour', 0.05],
    ['noise', 0.15],
    ['blockiness', 0.1],
  ] as const)
    expect(Math.abs(quality[key]! - usual[key]!) / usual[key]!, key).toBeLessThan(share)
  expect(Math.abs(quality.eyesHidden - usual.eyesHidden)).toBeLessThan(0.03)
  expect(Math.abs(attackOf(found) - attackOf(expected))).toBeLessThan(0.15)
  const [p, q] = [templateOf(found), templateOf(expected)]
  expect(p.length).toBeGreaterThan(0)
  expect(Math.hypot(...p.map((value, i) => value - q[i]!))).toBeLessThan(0.12)
  const prints = found.print!.map((value, i) => Math.abs(value - expected.print![i]!))
  expect(Math.max(...prints)).toBeLessThan(1.5)
  expect([found.bestShot!.width, found.bestShot!.height]).toEqual([
    expected.bestShot!.width,
    expected.bestShot!.height,
  ])
  return found
}

describe('a photo with more pixels than are looked at', () => {
  it('gives the results of the whole picture: a face that fills it', async () => {
    await expectSame(await largePhoto(await portraitImage('redhead'), 2800, generator(1)))
  })

  it('gives the results of the whole picture: small faces', async () => {
    await expectSame(await largePhoto(await decode(await group(3)), 3900, generator(2)))
  })

  it('gives the results of the whole picture: stored on its side', async () => {
    const photo = await largePhoto(await portraitImage('brunette'), 2704, generator(3))
    const turned = await expectSame(withOrientation(photo, 6))
    expect(turned.quarterTurns).toBe(3)
  })

  it('is decoded by mozjpeg if it is damaged', async () => {
    const photo = (await largePhoto(await portraitImage('smiling'), 2600, generator(4))).slice()
    // No code has this many ones.
    photo.set([0xff, 0, 0xff, 0, 0xff, 0], photo.length - 2000)
    const [found, expected] = [await assess(photo, wanted), await assessWhole(photo, wanted)]
    expect(found.faces).toEqual(expected.faces)
    expect(attackOf(found)).toBe(attackOf(expected))
  })
})
