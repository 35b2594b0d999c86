/** Companies that are sandboxes: their analyses end as asked, and nobody looks at their media. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import { clearFolder } from '../../../src/folders/remove-folder.ts'
import { submitAnalyses, submitFolder } from '../../../src/folders/submit.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import type { FolderRecord } from '../../../src/records/folder.ts'
import { sandboxSlowMs } from '../../../src/records/sandbox.ts'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { UsageStore } from '../../../src/storage/accounts/usage-store.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { storedCounts } from '../../fixtures/recount.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const biometry: RequestedAnalysis = { ...quality, type: 'verification' }

describe('a company that is a sandbox', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let sandbox: string
  let real: string
  /** What was wanted of each medium. */
  let wanted: AssessmentRequest[]

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    sandbox = await kept.company('Sandbox', true)
    real = await kept.company('Real')
    wanted = []
    const assess = kept.assessor.assess.bind(kept.assessor)
    kept.assessor.assess = async (medium, asked) => {
      wanted.push(asked)
      const found = await assess(medium, asked)
      return { ...found, snapshot: asked.snapshot ? found.thumbnail : null }
    }
  })
  afterEach(() => opened.close())

  const submit = (companyId: string, name: unknown, analyses = [quality]): Promise<FolderRecord> => {
    const media = ['a', 'b'].map((key) => submittedMedium({ key, byte: key.charCodeAt(0) }))
    const metadata = name === undefined ? {} : { sandbox: name }
    const submission = { companyId, userId: null, metadata, resolutionEndpoint: null, media, analyses }
    return submitFolder(kept.parts, submission, {}).then(({ folder }) => folder)
  }
  const stored = async ({ id }: FolderRecord) => (await kept.parts.folders.find(id))!
  const outcomes = ({ analyses }: FolderRecord) =>
    analyses.map(({ outcome }) =>
      outcome.status === 'finished'
        ? outcome.decision
        : outcome.status === 'failed'
          ? outcome.failure.code
          : 'open',
    )
  const counted = async () => ({
    ended: Object.keys(await storedCounts(opened.client)).length,
    billed: await new UsageStore(opened.database).read(0, kept.clock.nowMs, null, false),
  })
  const nothing = { ended: 0, billed: [] }

  it('gets the result that the metadata of a folder names, and no medium is looked at', async () => {
    const folder = await submit(sandbox, 'different_people', [quality, biometry])
    expect(outcomes(folder)).toEqual(['SUCCESS', 'DECLINED'])
    expect(folder.result.systemResolution).toBe('DECLINED')
    expect(wanted).toHaveLength(2)
    for (const asked of wanted)
      expect(asked).toMatchObject({ faces: false, pad: false, template: false, bestShot: false })
    expect(outcomes(await submit(sandbox, 'no_face', [quality, biometry]))).toEqual([3002, 3002])
    expect(outcomes(await submit(sandbox, undefined))).toEqual(['SUCCESS'])
  })

  it('has answers that say so, now and later, with the pictures of real ones', async () => {
    const folder = await submit(sandbox, 'print_or_screen')
    for (const { analyses } of [folder, await stored(folder)]) {
      const [{ sandbox, models, media }] = analyses as [(typeof analyses)[number]]
      expect({ sandbox, models }).toEqual({
        sandbox: 'print_or_screen',
        models: { profile: 'standard', assurance: 'none', networks: [] },
      })
      expect(media.map(({ sample, outputImages }) => [sample, outputImages.map(({ kind }) => kind)])).toEqual(
        [
          [null, ['best']],
          [null, ['best']],
        ],
      )
    }
    const { files } = folder.analyses[0]!.media[0]!.outputImages[0]!
    expect(await kept.blobs.read(files!.original)).not.toBeNull()
  })

  it('is not counted, for statistics or bills, however its analyses end', async () => {
    await submit(sandbox, 'success', [quality, biometry])
    const waiting = await submit(sandbox, 'success', [])
    await kept.start(waiting)
    const { jobs } = (await kept.take(sandbox))!
    const end = { kind: 'abandoned', why: 'attemptsSpent' } as const
    const announcement = { eventId: null, nowMs: kept.clock.nowMs }
    await kept.parts.jobs.settle(waiting.id, [{ job: jobs[0]!.job, end }], [], 'key', announcement)
    const cleared = await submit(sandbox, 'success', [])
    await kept.start(cleared)
    await clearFolder(kept.parts, cleared.id)
    expect(await counted()).toEqual(nothing)
    await submit(real, 'success')
    const { ended, billed } = await counted()
    expect(ended).toBeGreaterThan(0)
    expect(billed).toEqual([{ companyId: null, type: 'liveness', count: 1 }])
  })

  it('gets results in the background too', async () => {
    const runner = kept.runner()
    const folder = await submit(sandbox, 'face_still', [])
    const [id] = await kept.start(folder)
    runner.start()
    try {
      await vi.waitFor(async () => expect(outcomes(await stored(folder))).toEqual([3006]), {
        timeout: 20_000,
      })
    } finally {
      await runner.stop()
    }
    const { analyses } = await stored(folder)
    expect(analyses.map((analysis) => [analysis.id, analysis.sandbox])).toEqual([[id, 'face_still']])
    expect(kept.assessor.looks).toBe(0)
    const { files } = analyses[0]!.media[0]!.outputImages[0]!
    expect(await kept.blobs.read(files!.original)).not.toBeNull()
    expect(await counted()).toEqual(nothing)
    expect(kept.troubles).toEqual([])
  })

  it('leaves nothing for later analyses that are real', async () => {
    await submit(sandbox, 'no_face')
    const found = await opened.client.execute('select count(*) as n from findings')
    expect(Number(found.rows[0]!.n)).toBe(0)
  })

  it('may ask for the answer that a switch of the operator gives', async () => {
    const folder = await submit(sandbox, 'containers_not_analysed')
    expect(outcomes(folder)).toEqual(['DECLINED'])
    expect(folder.analyses[0]).toMatchObject({ models: null, outcome: { reason: expect.any(String) } })
  })

  it('may ask for results that take their time', async () => {
    const folder = await submit(sandbox, 'slow', [])
    await kept.start(folder)
    expect(await kept.take(sandbox)).toBeNull()
    kept.clock.nowMs += sandboxSlowMs
    expect(await kept.take(sandbox)).not.toBeNull()
    vi.useFakeTimers()
    try {
      const answered = vi.fn()
      const submitted = kept.parts.processor
        .runSubmission(
          {
            ...{ companyId: sandbox, userId: null, metadata: {}, resolutionEndpoint: null },
            ...{ media: [submittedMedium()], analyses: [quality], sandbox: 'slow' },
          },
          false,
          {},
        )
        .then(answered)
      await vi.advanceTimersByTimeAsync(sandboxSlowMs - 1)
      expect(answered).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      await submitted
    } finally {
      vi.useRealTimers()
    }
  })

  it('refuses names that there are not, before anything is stored', async () => {
    const refusal = { code: 'value_invalid', details: { key_path: 'meta_data.sandbox' } }
    await expect(submit(sandbox, 'declined')).rejects.toMatchObject(refusal)
    await expect(submit(sandbox, 'declined', [])).rejects.toMatchObject(refusal)
    const folder = await submit(sandbox, 'success', [])
    const renamed = { ...folder, metadata: { sandbox: 1 } }
    await expect(submitAnalyses(kept.parts, renamed, [quality], null)).rejects.toMatchObject(refusal)
    expect(wanted).toHaveLength(2)
  })

  it('is one in every replica, and no other company is', async () => {
    const elsewhere = new CompanyStore(opened.database)
    const ids = [sandbox, real, crypto.randomUUID(), sandbox]
    const found: boolean[] = []
    for (const id of ids) found.push(await elsewhere.isSandbox(id))
    expect(found).toEqual([true, false, false, true])
  })

  it('is the only one whose metadata count', async () => {
    const folder = await submit(real, 'print_or_screen')
    expect(outcomes(folder)).toEqual(['SUCCESS'])
    expect(folder.analyses[0]).not.toHaveProperty('sandbox')
    expect(kept.assessor.looks).toBe(2)
    expect(outcomes(await submit(real, 'no name of any outcome'))).toEqual(['SUCCESS'])
  })
})
