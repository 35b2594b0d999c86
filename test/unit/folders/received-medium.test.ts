import { describe, expect, it } from 'vitest'
import type { Assessment, AssessmentRequest } from '../../../src/assess/assessment.ts'
import type { Assessor } from '../../../src/assess/assessor.ts'
import type { CaptureFacts } from '../../../src/decide/capture.ts'
import { AppError } from '../../../src/errors.ts'
import { receiveMedia } from '../../../src/folders/received-medium.ts'
import { type OpenedMedium, openMedium } from '../../../src/media/opened-medium.ts'
import type { SubmittedMedium } from '../../../src/records/folder.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'

const capture = { challenge: [], steps: null, frames: null, ageS: 1, track: {}, device: {} } as CaptureFacts
const submitted: SubmittedMedium = {
  key: 'video',
  tags: [],
  metadata: {},
  originalName: 'clip.webm',
  medium: openMedium(Uint8Array.of(1)),
}

const wanted = { faces: true, template: false, pad: false, bestShot: false }

/** Receives media and returns what was asked of each. */
async function askedOf(
  media: readonly SubmittedMedium[],
  storedIn: string | null = null,
  savesArtifacts = false,
): Promise<AssessmentRequest[]> {
  const asked: AssessmentRequest[] = []
  const assessor = {
    async assess(_: OpenedMedium, request: AssessmentRequest) {
      asked.push(request)
      return madeUpAssessment()
    },
    health: () => ({ workers: 1 }),
  } as unknown as Assessor
  const deps = { assessor, savesArtifacts, randomId: () => 'id' }
  await receiveMedia(deps, media, () => wanted, { storedIn, createdAtMs: 0 }, {})
  return asked
}

/** Receives two media; the assessor treats the second one as `assess` does. */
function receiveTwo(assess: () => Promise<Assessment>) {
  const assessor = {
    assess: async ({ bytes }: OpenedMedium) => (bytes[0] === 2 ? assess() : madeUpAssessment()),
    health: () => ({ workers: 2 }),
  } as unknown as Assessor
  const deps = { assessor, randomId: () => 'id' }
  const media = [submitted, { ...submitted, key: 'John Smith', medium: openMedium(Uint8Array.of(2)) }]
  const wanted = { faces: true, template: false, pad: false, bestShot: false }
  return receiveMedia(deps, media, () => wanted, { storedIn: null, createdAtMs: 0 }, {})
}

describe('receiveMedia', () => {
  it('never crops a clip of a container, whose evidence is about the whole', async () => {
    const asked = await askedOf([submitted, { ...submitted, capture }])
    expect(asked.map(({ longClip }) => longClip)).toEqual([undefined, 'refuse'])
  })

  it('asks for the thumbnail, which answers describe, and for the preview only if a file is kept', async () => {
    expect(await askedOf([submitted])).toMatchObject([{ thumbnail: true, preview: false }])
    expect(await askedOf([submitted], 'folder')).toMatchObject([{ thumbnail: true, preview: true }])
    expect(await askedOf([submitted], null, true)).toMatchObject([{ thumbnail: true, preview: true }])
  })

  it.each([
    [new AppError('media_unreadable', 'The JPEG data end early'), {}],
    [new AppError('media_unsupported', 'PDF', { details: { expected: 'JPEG' } }), { expected: 'JPEG' }],
    [
      new AppError('value_invalid', 'The video is too long', { details: { seconds_max: 6 } }),
      { seconds_max: 6 },
    ],
  ])('names the part of a medium that is refused: %s', async (refusal, more) => {
    await expect(receiveTwo(() => Promise.reject(refusal))).rejects.toMatchObject({
      ...{ code: refusal.code, message: refusal.message },
      ...{ details: { ...more, key_path: 'John Smith' }, place: '*' },
    })
  })

  it('leaves a failure of the service as it is', async () => {
    const failure = new AppError('overloaded', 'busy', { retryAfterS: 2 })
    await expect(receiveTwo(() => Promise.reject(failure))).rejects.toBe(failure)
  })
})
