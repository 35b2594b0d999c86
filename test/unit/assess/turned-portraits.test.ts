/** Photos on their side or upside down, without an orientation in the file. */
import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import { drawFace } from '../../../src/assess/drawn-face.ts'
import { classifyMovement } from '../../../src/decide/clip-attack.ts'
import { readCohort } from '../../../src/decide/cohort.ts'
import { compareTemplates, normalizeTemplate, openVectorComparison } from '../../../src/decide/comparison.ts'
import { invariant } from '../../../src/errors.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { openModels } from '../../../src/platform/server-models.ts'
import { readSettings } from '../../../src/settings.ts'
import { hasFfmpeg } from '../../fixtures/clips.ts'
import { turnPicture } from '../../fixtures/drawn-text.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { assessPhoto, openAssessor } from '../../fixtures/networks.ts'
import { manLarge, manSmall } from '../../fixtures/packages.ts'
import { writePng } from '../../fixtures/pictures.ts'
import { decode, portraitImage } from '../../fixtures/portraits.ts'
import { fitFile, fitFiles, hasFitData, hasTestData, testData } from '../../fixtures/test-data.ts'
import { anyDecoder, testLimits } from '../../fixtures/video-decoders.ts'

const { chosen, cohort: cohortBytes } = await openModels(readSettings(process.env))
const cohort = readCohort(chosen.cohort, cohortBytes)
const wanted = { faces: true, template: true, pad: true, bestShot: false }

/** Assesses a picture that is turned clockwise. */
const assessTurned = async (image: RgbaImage, quarterTurns: number) =>
  assessPhoto(writePng(turnPicture(image, quarterTurns), 'rgba8'), wanted)

type Portrait = Awaited<ReturnType<typeof assessTurned>>

const isLive = ({ subject }: Portrait) => subject?.pad.status === 'assessed' && subject.pad.attack < 0.5

function scoreOf(a: Portrait, b: Portrait): number {
  const [reference, probe] = [a, b].map(({ subject }) => {
    invariant(subject?.template.status === 'extracted', 'a portrait has a template')
    return normalizeTemplate(cohort, subject.template.template)
  })
  return compareTemplates(reference!, probe!).score
}

/** The directions in which a portrait is another person, or live where it is none. */
async function findDisagreement(image: RgbaImage, upright: Portrait): Promise<string[]> {
  const found: string[] = []
  for (const quarterTurns of [1, 2, 3]) {
    const turned = await assessTurned(image, quarterTurns)
    const score = turned.subject?.template.status === 'extracted' ? scoreOf(upright, turned) : 0
    if (score <= 0.99 || isLive(turned) !== isLive(upright)) found.push(`${quarterTurns * 90}°: ${score}`)
  }
  return found
}

/** One is tilted by 45°: it lies as much on one side as on the other. */
const portraits: Record<string, () => Promise<RgbaImage>> = {
  redhead: () => portraitImage('redhead'),
  redheadAgain: () => portraitImage('redheadAgain'),
  brunette: () => portraitImage('brunette'),
  longHair: () => portraitImage('longHair'),
  smiling: () => portraitImage('smiling'),
  manSmall: async () => decode(await manSmall()),
  manLarge: async () => decode(await manLarge()),
  drawn: async () => drawFace(),
}

describe('a turned portrait', () => {
  it.each(Object.keys(portraits))('is assessed as the upright one: %s', async (name) => {
    const image = await portraits[name]!()
    expect(await findDisagreement(image, await assessTurned(image, 0))).toEqual([])
  })
})

describe.skipIf(!hasTestData)('a picture that was reported as upside down', () => {
  const assessed = async (name: string) => assessPhoto(await testData('reports', name), wanted)

  it.each([
    ['face-upside-down-f0024.jpg', 'face-upright-f0024.jpg'],
    ['passport-upside-down-p0190.jpg', 'selfie-of-that-passport-p0190.jpg'],
  ])('shows the person of an upright one: %s', async (upsideDown, upright) => {
    expect(scoreOf(await assessed(upsideDown), await assessed(upright))).toBeGreaterThan(0.85)
  })

  it.skipIf(!hasFfmpeg)('is that of a live person, as a clip', async () => {
    const assess = openAssessor({
      decoder: anyDecoder(),
      compare: openVectorComparison(cohort),
      videoLimits: testLimits,
    })
    const assessment = await assess(await testData('reports', 'clip-upside-down.mp4'), wanted)
    const { outcome } = decideLiveness([{ id: 'clip', tags: [], assessment }], usualLiveness)
    expect(outcome).toMatchObject({ status: 'finished', decision: 'SUCCESS' })
    expect(classifyMovement(assessment.clip!.movement)).toBe('alive')
  })
})

/** One subject, from the front and large enough. In a crowd, what is taken for the largest face can be a back. */
function isPortrait({ faces, subject }: Portrait): boolean {
  const [first, second] = faces
  if (!first || !subject || faces.some(({ confidence }) => confidence > first.confidence)) return false
  const { faceSide, pose } = subject.quality
  const isAlone = !second || second.box.height < first.box.height / 2
  return isAlone && faceSide >= 80 && Math.hypot(pose.yaw, pose.pitch) <= 30
}

describe.skipIf(!hasFitData)('every portrait of the fit set', () => {
  it('is assessed as the upright one if it is turned', { timeout: 1_800_000 }, async () => {
    const disagreement: Record<string, string[]> = {}
    let count = 0
    for (const file of await fitFiles()) {
      const image = await decode(await fitFile(file))
      const upright = await assessTurned(image, 0)
      if (!isPortrait(upright)) continue
      count++
      const found = await findDisagreement(image, upright)
      if (found.length > 0) disagreement[file] = found
    }
    expect(disagreement).toEqual({})
    expect(count).toBeGreaterThan(400)
  })
})
