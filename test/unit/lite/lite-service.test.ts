import { describe, expect, it } from 'vitest'
import type { Assessment } from '../../../src/assess/assessment.ts'
import type { Assessor } from '../../../src/assess/assessor.ts'
import { LiteService, type LiteServiceDeps } from '../../../src/lite/lite-service.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { axisTemplate, type MadeUp, madeUpAssessment } from '../../fixtures/assessments.ts'
import { headeredMp4 } from '../../fixtures/clip-headers.ts'
import { madeCohort } from '../../fixtures/templates.ts'

const photo = openMedium(Uint8Array.of(0xff, 0xd8, 0xff))
const rules = {
  gate: 'record',
  thresholdSpoofing: 0.5,
  band: { min: 0.8, max: 0.9 },
  challengeRequired: false,
  movementRequired: false,
} as const

/** A service whose workers find what is made up; what it was given is noted. */
function serviceFor(found: MadeUp, changed: Partial<LiteServiceDeps['rules']> = {}) {
  const given: unknown[] = []
  const assessed: Pick<Assessment, 'stageMs'>[] = []
  const assess: Assessor['assess'] = async (...asked) => {
    given.push(asked)
    return madeUpAssessment(found)
  }
  const service = new LiteService({
    assessor: { assess } as Assessor,
    processor: { runSubmission: () => Promise.reject(new Error('no submission is expected')) },
    cohort: madeCohort('axes', [axisTemplate(60), axisTemplate(62)]),
    acceptedTypes: ['image/jpeg', 'video/mp4'],
    rules: { ...rules, ...changed },
  })
  return { service, given, assessed, call: { onAssessed: (one: Assessment) => void assessed.push(one) } }
}

describe('the liveness of a sample', () => {
  it.each([
    [0.49, true],
    [0.5, false],
  ])('passes below the threshold: %d', async (attack, passed) => {
    const { service, call } = serviceFor({ attack })
    expect(await service.detect(photo, call)).toEqual({ passed, score: attack })
  })

  it('is no answer where the sample looks like an attack and is too poor to tell', async () => {
    const quality = { colour: 0 }
    const { service, call } = serviceFor({ attack: 0.5, quality })
    await expect(service.detect(photo, call)).rejects.toMatchObject({
      code: 'media_unreadable',
      message: expect.stringContaining('(grey)'),
    })
    const passing = serviceFor({ attack: 0.49, quality })
    expect(await passing.service.detect(photo, passing.call)).toEqual({ passed: true, score: 0.49 })
  })

  it('is not asked of pictures where a challenge or a movement is required', () => {
    expect(() => serviceFor({}).service.requireNoMovement()).not.toThrow()
    for (const required of [{ challengeRequired: true }, { movementRequired: true }])
      expect(() => serviceFor({}, required).service.requireNoMovement()).toThrow(
        expect.objectContaining({ code: 'media_unreadable' }),
      )
  })
})

describe('a sample', () => {
  it.each<[string, MadeUp, string]>([
    ['nobody', { faceHeights: [] }, 'no_face'],
    ['two people', { faceHeights: [300, 290] }, 'several_faces'],
    ['a face that is too small to compare', { template: { status: 'too_small' } }, 'no_template'],
  ])('of %s has no template; its time is told', async (_, found, code) => {
    const { service, call, assessed } = serviceFor(found)
    await expect(service.extract(photo, call)).rejects.toMatchObject({ code })
    expect(assessed).toHaveLength(1)
  })

  it('that is a clip is refused before a worker gets it, with the name of its part', async () => {
    const { service, call, given } = serviceFor({})
    const value = openMedium(headeredMp4({ width: 640, height: 480, seconds: 1, pictures: 30 }))
    await expect(service.extractNamed({ keyPath: 'samples_n.2', value }, call)).rejects.toMatchObject({
      code: 'media_unsupported',
      details: { key_path: 'samples_n.2' },
    })
    expect(given).toEqual([])
  })
})
