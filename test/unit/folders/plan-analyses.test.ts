import { describe, expect, it } from 'vitest'
import { type PlannableMedium, planAnalyses } from '../../../src/folders/plan-analyses.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { quality } from '../../fixtures/kept-folders.ts'

const rules = {
  ...({ thresholdSpoofing: 0.5, gate: 'record', gestureRequired: false, movementRequired: false } as const),
  ...{ challengeRequired: false, documents: true, documentTags: false },
}

describe('documents where tags do not matter', () => {
  const tags = ['video_selfie', 'video_selfie_blank']
  const photo = { tags, medium: openMedium(Uint8Array.of(0xff, 0xd8, 0xff)) }
  const clip = { tags: [], medium: openMedium(new TextEncoder().encode('\0\0\0\x18ftypmp42')) }
  const keptPhoto = { tags, original: { mimeType: 'image/jpeg' } }
  const keptClip = { tags: [], original: { mimeType: 'video/mp4' } }

  it('are looked for in all media but clips, which their bytes tell and no tag', () => {
    const media: PlannableMedium[] = [photo, clip, keptPhoto, keptClip]
    const deps = { rules, containerDecline: null }
    const [planned] = planAnalyses([{ ...quality, type: 'documents' }], media, () => undefined, deps)
    expect(planned?.media).toEqual([photo, keptPhoto])
  })
})
