/** Stills that a few lines of code animate do not pass, even if their frames look bona fide. */
import { beforeAll, describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import type { Assessment } from '../../../src/assess/assessment.ts'
import { classifyMovement, type MovementClass } from '../../../src/decide/clip-attack.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { animateStill, clipsOf, openPortrait } from '../../../tools/accuracy/animation/animated-stills.ts'
import { animations, type Portrait } from '../../../tools/accuracy/animation/animations.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { assessPhoto as assess } from '../../fixtures/networks.ts'
import { portrait } from '../../fixtures/portraits.ts'

/** Without attack detection the test is quicker, and the movement alone has to decline. */
const withBonaFideFrames = (assessment: Assessment): Assessment => ({
  ...assessment,
  subject: assessment.subject && {
    ...assessment.subject,
    pad: { status: 'assessed', attack: 0, replay: 0, modelIds: ['minifasnet-v2'] },
  },
})

/** Two seconds show a movement; only crossfades need longer to come back. */
const framesShown = 20
const crossfaded = 'photos crossfaded'

describe('an animated still', () => {
  let still: Portrait
  beforeAll(async () => {
    const [square, other] = await Promise.all([portrait('redhead'), portrait('redheadAgain')])
    still = await openPortrait({ square, others: [other] }, null)
  })

  it.each<[string, MovementClass]>([
    ['mirrored', 'repeating'],
    ['photos in turn', 'repeating'],
    [crossfaded, 'repeating'],
    ['depth', 'flat'],
    ['panned and zoomed, blobs', 'flat'],
    ['moving glare', 'nothing'],
  ])('%s: %s', async (animation, word) => {
    const frames: RgbaImage[] = []
    for (const frame of animateStill(still, animations[animation]!))
      if (frames.length < framesShown || animation === crossfaded) frames.push(frame)
      else break
    const archive = await (await clipsOf(frames)).zip()
    const wanted = { faces: true, template: false, pad: false, bestShot: false }
    const assessment = withBonaFideFrames(await assess(archive, wanted))
    expect(classifyMovement(assessment.clip!.movement)).toBe(word)
    // Frames alone decide on stillness, unless movement is required.
    const movementRequired = word === 'nothing'
    const { outcome } = decideLiveness([{ id: 'a', tags: [], assessment }], {
      ...usualLiveness,
      movementRequired,
    })
    expect(outcome).toMatchObject(
      movementRequired ? { status: 'failed', failure: { code: 3006 } } : { decision: 'DECLINED' },
    )
  })
})
