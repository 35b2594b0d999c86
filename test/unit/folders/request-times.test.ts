/** Everything that a request creates has the time of the request, however long its media are assessed. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { submitFolder } from '../../../src/folders/submit.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

describe('the time of a request', () => {
  let opened: TestDatabase
  let kept: KeptFolders

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    kept.assessor.look = async () => {
      kept.clock.nowMs += 5000
      return madeUpAssessment({ attack: 0.1 })
    }
  })
  afterEach(() => opened.close())

  async function submit(analyses: readonly RequestedAnalysis[]) {
    const companyId = await kept.company('One')
    const medium = submittedMedium()
    const submission = { companyId, userId: null, resolutionEndpoint: null, metadata: {}, analyses }
    const { folder } = await submitFolder(
      kept.parts,
      { ...submission, media: [medium, { ...medium, key: 'b' }] },
      {},
    )
    return folder
  }

  it('is that of the folder, of its media and analyses, in the answer and stored', async () => {
    const askedAtMs = kept.clock.nowMs
    const answered = await submit([quality, quality])
    const stored = (await kept.parts.folders.find(answered.id))!
    for (const { createdAtMs, updatedAtMs, media, analyses } of [answered, stored]) {
      const created = [createdAtMs, ...[...media, ...analyses].map((part) => part.createdAtMs)]
      expect(created).toEqual([askedAtMs, askedAtMs, askedAtMs, askedAtMs, askedAtMs])
      const ended = [updatedAtMs, ...analyses.map((analysis) => analysis.updatedAtMs)]
      expect(ended).toEqual([askedAtMs + 10_000, askedAtMs + 10_000, askedAtMs + 10_000])
    }
  })
})
