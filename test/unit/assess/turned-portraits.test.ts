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
import { hasFfmpeg, remake } from '../../fixtures/clips.ts'
import { turnPicture } from '../../fixtures/drawn-text.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { assessPhoto, openAssessor } from '../../fixtures/networks.ts'
import { manLarge, manSmall } from '../../fixtures/packages.ts'
import { writeStoredPng } from '../../fixtures/pictures.ts'
import { decode, portrait, portraitImage } from '../../fixtures/portraits.ts'
import { fairFaces, fitFile, fitFiles, hasFitData, hasTestData, testData } from '../../fixtures/test-data.ts'
import { anyDecoder, testLimits } from '../../fixtures/video-decoders.ts'

const { chosen, cohort: cohortBytes } = await openModels(readSettings(process.env))
const cohort = readCohort(chosen.cohort, cohortBytes)
const wanted = { faces: true, template: true, pad: true, bestShot: false }

/** Assesses a picture that is turned clockwise. */
const assessTurned = async (image: RgbaImage, quarterTurns: number) =>
  assessPhoto(writeStoredPng(turnPicture(image, quarterTurns)), wanted)

type Portrait = Awaited<ReturnType<typeof assessTurned>>

const isLive = ({ subject }: Portrait) => subject?.pad.status === 'assessed' && subject.pad.attack < 0.5

function scoreOf(a: Portrait, b: Portrait): number {
  const [reference, probe] = [a, b].map(({ subject }) => {
    invariant(subject?.template.status === 'extracted', 'a portrait has a template')
    return normalizeTemplate(cohort, subject.template.template)
  })
  return compareTemplates(reference!, probe!).score
}

const allTurns = [1, 2, 3]

/** The directions in which a portrait is another person, or live where it is none. */
async function findDisagreement(image: RgbaImage, upright: Portrait, turns = allTurns): Promise<string[]> {
  const found: string[] = []
  for (const quarterTurns of turns) {
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

/** Filters of ffmpeg that turn pictures clockwise. */
const clipTurns = {
  '0°': 'null',
  '90°': 'transpose=1',
  '180°': 'transpose=1,transpose=1',
  '270°': 'transpose=2',
}

const assessClip = async (bytes: Uint8Array) => {
  const compare = openVectorComparison(cohort)
  return openAssessor({ decoder: anyDecoder(), compare, videoLimits: testLimits })(bytes, wanted)
}

describe.skipIf(!hasFfmpeg)('a turned clip', () => {
  it('shows the person of the upright one', async () => {
    const photo = await portrait('redhead')
    const still = ['-f', 'image2', '-loop', '1', '-framerate', '10', '-t', '0.8']
    const assessTurnedClip = async (turn: string) =>
      assessClip(await remake(photo, 'mp4', ['-vf', `scale=480:480,${turn}`, '-pix_fmt', 'yuv420p'], still))
    const [upright, ...turned] = await Promise.all(Object.values(clipTurns).map(assessTurnedClip))
    expect(turned.map((clip) => clip.quarterTurns)).toEqual([3, 2, 1])
    for (const clip of turned) expect(scoreOf(upright!, clip)).toBeGreaterThan(0.99)
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

  it.skipIf(!hasFfmpeg).each(Object.entries(clipTurns))(
    'is that of a live person, as a clip turned further by %s',
    async (_, filters) => {
      const upsideDown = await testData('reports', 'clip-upside-down.mp4')
      const assessment = await assessClip(await remake(upsideDown, 'mp4', ['-vf', filters, '-an']))
      const { outcome } = decideLiveness([{ id: 'clip', tags: [], assessment }], usualLiveness)
      expect(outcome).toMatchObject({ status: 'finished', decision: 'SUCCESS' })
      expect(classifyMovement(assessment.clip!.movement)).toBe('alive')
    },
  )
})

/** One subject, from the front and large enough. In a crowd, what is taken for the largest face can be a back. */
function isPortrait({ faces, subject }: Portrait): boolean {
  const [first, second] = faces
  if (!first || !subject || faces.some(({ confidence }) => confidence > first.confidence)) return false
  const { faceSide, pose } = subject.quality
  const isAlone = !second || second.box.height < first.box.height / 2
  return isAlone && faceSide >= 80 && Math.hypot(pose.yaw, pose.pitch) <= 30
}

/** The pictures that are not as the upright ones if they are turned. */
async function findDisagreements(
  files: readonly string[],
  isWanted: (upright: Portrait) => boolean = () => true,
  turnsOf: (place: number) => number[] = () => allTurns,
): Promise<{ count: number; found: Record<string, string[]> }> {
  const found: Record<string, string[]> = {}
  let count = 0
  for (const file of files) {
    const image = await decode(await fitFile(file))
    const upright = await assessTurned(image, 0)
    if (!isWanted(upright)) continue
    const directions = await findDisagreement(image, upright, turnsOf(count++))
    if (directions.length > 0) found[file] = directions
  }
  return { count, found }
}

describe.skipIf(!hasFitData)('every portrait of the fit set', () => {
  // All directions of all portraits would take as long as a quarter of all other tests.
  it('is assessed as the upright one if it is turned, one direction each', {
    timeout: 3_000_000,
  }, async () => {
    const nextTurn = (place: number) => [allTurns[place % allTurns.length]!]
    const { count, found } = await findDisagreements(await fitFiles(), isPortrait, nextTurn)
    expect(found).toEqual({})
    expect(count).toBeGreaterThan(400)
  })

  it('is assessed so if it is small, whatever the group of the person', { timeout: 600_000 }, async () => {
    const { count, found } = await findDisagreements(await fairFaces(5))
    expect(count).toBe(35)
    // Heads in profile, which one network or another takes for a face of another direction.
    const inProfile = ['f0002', 'f0021', 'f0052', 'f0064', 'f0068', 'f0071']
    const unexpected = Object.entries(found).filter(
      ([file]) => !inProfile.some((name) => file.includes(name)),
    )
    expect(unexpected).toEqual([])
  })
})
