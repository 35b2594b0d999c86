import { describe, expect, it } from 'vitest'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import type { Assessor } from '../../../src/assess/assessor.ts'
import type { CaptureFacts } from '../../../src/decide/capture.ts'
import { receiveMedia } from '../../../src/folders/received-medium.ts'
import type { SubmittedMedium } from '../../../src/records/folder.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'

const capture = { challenge: [], steps: null, frames: null, ageS: 1, track: {}, device: {} } as CaptureFacts
const submitted: SubmittedMedium = {
  key: 'video',
  tags: [],
  metadata: {},
  originalName: 'clip.webm',
  bytes: Uint8Array.of(1),
}

/** Receives media and returns how each was to be treated if it is a clip that is too long. */
async function longClipsOf(media: readonly SubmittedMedium[]): Promise<AssessmentRequest['longClip'][]> {
  const asked: AssessmentRequest['longClip'][] = []
  const assessor = {
    async assess(_: Uint8Array, wanted: AssessmentRequest) {
      asked.push(wanted.longClip)
      return madeUpAssessment()
    },
    health: () => ({ workers: 1 }),
  } as unknown as Assessor
  const deps = { assessor, nowMs: () => 0, randomId: () => 'id' }
  const wanted = { faces: true, template: false, pad: false, bestShot: false }
  await receiveMedia(deps, media, () => wanted, null, {})
  return asked
}

describe('receiveMedia', () => {
  it('never crops a clip of a container, whose evidence is about the whole', async () => {
    expect(await longClipsOf([submitted, { ...submitted, capture }])).toEqual([undefined, 'refuse'])
  })
})
