/** Decisions on a folder while its analyses run. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'

describe('a verdict while analyses run', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let company: string
  const author = crypto.randomUUID()

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    company = await kept.company('One')
  })
  afterEach(() => opened.close())

  const decide = (id: string, needsSecond = false) =>
    kept.parts.folders
      .update(id, {}, { eventId: null, nowMs: kept.clock.nowMs }, null, {
        ...{ id: crypto.randomUUID(), authorId: author, on: 'case', needsSecond },
        ...{ status: 'DECLINED', reason: null, comment: 'a neighbour' },
      })
      .then(
        () => 'stored',
        (error: unknown) => (error instanceof AppError ? error.code : error),
      )
  const statusOf = async (id: string) => (await kept.parts.folders.find(id))!.review.status
  const endAll = async (id: string) => {
    const runner = kept.runner()
    runner.start()
    await expect
      .poll(async () => (await kept.parts.folders.find(id))!.result.resolutionStatus)
      .toBe('FINISHED')
    await runner.stop()
  }

  it.each([
    ['stays if all analyses pass', 0.1, 'DECLINED'],
    ['ends if one waits for a decision', 0.9, null],
  ] as const)('%s', async (_, attack, expected) => {
    kept.assessor.look = async () => madeUpAssessment({ attack })
    const folder = await kept.folder(company)
    await kept.start(folder)
    expect(await decide(folder.id)).toBe('stored')
    expect(await statusOf(folder.id)).toBe('DECLINED')
    await endAll(folder.id)
    expect(await statusOf(folder.id)).toBe(expected)
    // It says nothing of a new run.
    await kept.start(folder)
    expect(await statusOf(folder.id)).toBeNull()
  })

  it('is refused where a second person must agree, and beside decided analyses', async () => {
    const folder = await kept.folder(company)
    await kept.start(folder)
    expect(await decide(folder.id, true)).toBe('not_allowed')
    await endAll(folder.id)
    expect(await decide(folder.id)).toBe('stored')
    await kept.start(folder)
    expect(await decide(folder.id)).toBe('not_allowed')
  })
})
