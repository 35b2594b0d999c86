/** What is told of links whose states change at the same time. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { submitFolder } from '../../../src/folders/submit.ts'
import type { CaptureLink } from '../../../src/records/capture-link.ts'
import { CaptureLinkStore } from '../../../src/storage/folders/capture-link-store.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

let opened: TestDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

it.each([
  ['with a use left', 2, ['expired', 'captured']],
  ['that it was the last use of', 1, ['expired', 'captured', 'decided']],
])(
  'a capture that outlasts a link %s is told, but not the end of its time again',
  async (_, uses, states) => {
    const { database } = opened
    const kept = keepFolders(database)
    const links = new CaptureLinkStore(database)
    const { nowMs } = kept.clock
    const companyId = await kept.company(crypto.randomUUID())
    const link: CaptureLink = {
      ...{
        id: crypto.randomUUID(),
        companyId,
        userId: crypto.randomUUID(),
        mode: 'photo',
        analyses: [],
        metadata: {},
      },
      ...{ language: null, consent: null, returnUrl: null, resolutionEndpoint: null },
      ...{
        stateEndpoint: 'https://shop.example/',
        uses,
        used: 0,
        createdAtMs: nowMs - 1000,
        expiresAtMs: nowMs,
      },
      ...{ openedAtMs: null, capturedAtMs: null, withdrawnAtMs: null, folders: [] },
    }
    await links.insert(link, link.id)
    expect(await links.tellExpired(nowMs, 10)).toBe(1)
    const submission = { companyId, userId: null, metadata: {}, resolutionEndpoint: null }
    await submitFolder(
      kept.parts,
      { ...submission, media: [submittedMedium()], analyses: [quality] },
      {},
      (folderId) => links.take(link.id, folderId, nowMs),
    )
    expect(await links.tellExpired(nowMs, 10)).toBe(0)
    const told = await database.read((queries) =>
      queries.all<{ state: string }>(
        sql`select state from outbox where company_id = unhex(${companyId}, '-') order by rowid`,
      ),
    )
    expect(told.map(({ state }) => state)).toEqual(states)
  },
)
