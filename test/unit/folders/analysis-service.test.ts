/** The analyses that older clients start without naming any. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AnalysisService } from '../../../src/folders/analysis-service.ts'
import { submitMedia } from '../../../src/folders/submit.ts'
import { Authority } from '../../../src/identity/authority.ts'
import { allStartFlags, type StartFlags } from '../../../src/identity/permissions.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { keepFolders } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const band = { min: 0.5, max: 0.5 }

describe('the analyses that a folder allows', () => {
  let opened: TestDatabase

  beforeEach(async () => {
    opened = await openTestDatabase()
  })

  afterEach(() => opened.close())

  async function possible(
    tags: readonly string[][],
    { documents = true, ...flags }: Partial<StartFlags> & { documents?: boolean } = {},
  ): Promise<string[]> {
    const kept = keepFolders(opened.database, 3, { documents })
    const { folders, analyses } = kept.parts
    const service = new AnalysisService({
      ...{ submitting: kept.parts, analyses, nowMs: () => 0, randomId: () => 'id' },
      collections: { find: async () => null, findOnly: async () => null },
      needsSecond: false,
      hooks: { async checkEndpoint() {}, wakeRunner() {}, wakeWebhooks() {} },
    })
    const companyId = await kept.company('One')
    const empty = await kept.folder(companyId)
    const media = tags.map((own, place) => submittedMedium({ key: `m${place}`, byte: place, tags: own }))
    await submitMedia(kept.parts, empty, media, {})
    const folder = (await folders.find(empty.id))!
    const startFlags = { ...allStartFlags, ...flags }
    const principal = { userId: 'u', companyId, userType: 'CLIENT', startFlags, sessionId: null } as const
    // The folder has an untagged picture of its own.
    return service.possible(new Authority(principal), folder, band).map(({ type }) => type)
  }

  it('are those of faces while no medium is tagged as a document', async () => {
    expect(await possible([])).toEqual(['liveness'])
    expect(await possible([['photo_selfie']])).toEqual(['liveness', 'verification'])
  })

  it('include documents for a medium that is tagged as one', async () => {
    expect(await possible([['photo_id_front']])).toEqual(['liveness', 'verification', 'documents'])
    expect(await possible([['photo_id_back']])).toContain('documents')
  })

  it('leave out documents where they are switched off, and types that the user may not start', async () => {
    expect(await possible([['photo_id']], { documents: false })).toEqual(['liveness', 'verification'])
    expect(await possible([['photo_id']], { verification: false })).toEqual(['liveness', 'documents'])
  })
})
