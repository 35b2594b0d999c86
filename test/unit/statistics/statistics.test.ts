/** Statistics are what a recount of the stored analyses gives, however the analyses ended. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearFolder } from '../../../src/folders/remove-folder.ts'
import { submitFolder } from '../../../src/folders/submit.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import type { StatisticsQuery } from '../../../src/records/statistics.ts'
import { UsageStore } from '../../../src/storage/accounts/usage-store.ts'
import type { EndedJob } from '../../../src/storage/folders/job-store.ts'
import { StatisticsStore } from '../../../src/storage/statistics/statistics-store.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { recount, storedCounts } from '../../fixtures/recount.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const hourMs = 3600_000
const dayMs = 24 * hourMs

describe('statistics', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let one: string
  let two: string

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    one = await kept.company('One')
    two = await kept.company('Two')
  })
  afterEach(() => opened.close())

  /** A request whose analyses take some time and give some score. */
  async function request(companyId: string, attack: number, tookMs: number, analyses = [quality]) {
    kept.assessor.look = async ([key = 0]) => {
      kept.clock.nowMs += tookMs
      const assessment = madeUpAssessment({ attack, vector: axisTemplate(100, key / 100) })
      return { ...assessment, source: { ...assessment.source, md5: String(key) } }
    }
    const media = ['a', 'b'].map((key) => submittedMedium({ key, byte: key.charCodeAt(0) }))
    const submission = { companyId, userId: null, metadata: {}, resolutionEndpoint: null, media, analyses }
    return (await submitFolder(kept.parts, submission, {})).folder
  }

  const biometry: RequestedAnalysis = { ...quality, type: 'verification' }

  /** Analyses of two companies in several months, which end in every way. */
  async function seed(): Promise<void> {
    for (const [companyId, attack, tookMs, pauseMs] of [
      [one, 0.1, 20, hourMs],
      [one, 0.9, 900, dayMs],
      [two, 0.5, 70, 40 * dayMs],
      [one, 1, 3, 1],
      [two, 0, 4_000_000, dayMs],
    ] as const) {
      await request(companyId, attack, tookMs, [quality, biometry])
      kept.clock.nowMs += pauseMs
    }
    // In the background: some end, one is abandoned, one is removed with personal data.
    const folder = await kept.folder(one)
    await kept.start(folder, 2)
    const announcement = () => {
      kept.clock.nowMs += 1234
      return { eventId: null, nowMs: kept.clock.nowMs }
    }
    const taken = (await kept.take(one))!
    const [first, second] = taken.jobs
    const media = kept.keptMedia()
    const analysis = await kept.parts.processor.run(first!.analysis, folder.id, async (id) => {
      const medium = taken.folder.media.find((held) => held.id === id)!
      return (await media.examine(taken.folder, medium, [], null)).assessed
    })
    const end = (job: EndedJob) =>
      kept.parts.jobs.settle(folder.id, [job], [], media.models.key, announcement())
    const finished = { job: first!.job, end: { kind: 'finished', analysis } } as const
    expect((await end(finished)).analyses.size).toBe(1)
    expect((await end(finished)).analyses.size).toBe(0)
    await end({ job: second!.job, end: { kind: 'abandoned', why: 'attemptsSpent' } })
    const cleared = await kept.folder(two)
    await kept.start(cleared, 1)
    kept.clock.nowMs += 5
    await clearFolder(kept.parts, cleared.id)
  }

  const read = (change: Partial<StatisticsQuery> = {}) =>
    new StatisticsStore(opened.database).read({
      range: { fromMs: Date.UTC(2029, 11, 1), toMs: Date.UTC(2031, 0) },
      groupings: new Set(),
      companyIds: null,
      types: null,
      resolutions: null,
      ...change,
    })

  it('statistics match a recount of the analyses, whichever way they ended', async () => {
    await seed()
    const expected = await recount(opened.client)
    const known = await storedCounts(opened.client)
    // Of a folder without personal data only the counts still know how long its analysis took: less than 10 ms.
    const forgotten = Object.keys(known).filter((key) => !(key in expected))
    expect(forgotten).toHaveLength(6)
    for (const key of forgotten) {
      expect(key).toMatch(/liveness FAILED latency 0$/)
      expected[key] = 1
    }
    expect(known).toEqual(expected)
    expect(Object.keys(known).length).toBeGreaterThan(60)
  })

  it('a range is added up of months, days and hours, each analysis once', async () => {
    await seed()
    const { rows } = await opened.client.execute('select created_at as at from analyses where state <> 2')
    const times = rows.map(({ at }) => Number(at))
    const first = Math.floor(Math.min(...times) / hourMs) * hourMs
    for (const [fromMs, toMs] of [
      [first, first + hourMs],
      [first - 3 * hourMs, first + 2 * dayMs + hourMs],
      [first + hourMs, first + 70 * dayMs],
      [Date.UTC(2029, 0), Date.UTC(2031, 0)],
    ] as const) {
      const expected = times.filter((at) => at >= fromMs && at < toMs).length
      for (const groupings of [new Set<'day'>(), new Set(['day' as const]), new Set(['company' as const])]) {
        const groups = await read({ range: { fromMs, toMs }, groupings })
        const sum = groups.flatMap(({ resolutions }) => [...resolutions.values()]).reduce((a, b) => a + b, 0)
        expect([fromMs, toMs, sum]).toEqual([fromMs, toMs, expected])
      }
    }
  })

  it('groups have the verdicts, latencies and scores of their analyses', async () => {
    await seed()
    const groups = await read({ groupings: new Set(['company', 'type']), companyIds: [two] })
    const of = (type: string) => groups.find((group) => group.type === type)!
    expect(groups.map(({ companyId }) => companyId)).toEqual([two, two])
    expect(Object.fromEntries(of('liveness').resolutions)).toEqual({ SUCCESS: 1, DECLINED: 1, FAILED: 1 })
    expect(of('liveness').scores!.flatMap((n, bin) => (n === 0 ? [] : [[bin, n]]))).toEqual([
      [0, 1],
      [10, 1],
    ])
    expect((await read({ groupings: new Set() }))[0]!.scores).toBeNull()
    const [declined] = await read({ resolutions: ['DECLINED'], types: ['liveness'] })
    expect(Object.fromEntries(declined!.resolutions)).toEqual({ DECLINED: 3 })
    const hours = await read({ groupings: new Set(['hour']), types: ['liveness'], companyIds: [one] })
    expect(new Set(hours.map(({ atMs }) => atMs! % hourMs))).toEqual(new Set([0]))
    expect(await read({ companyIds: [] })).toEqual([])
  })

  it('usage is counted by the transaction that stores the analyses', async () => {
    await seed()
    const usage = new UsageStore(opened.database)
    const all = await usage.read(0, kept.clock.nowMs, null, false)
    expect(all.sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { companyId: null, type: 'liveness', count: 8 },
      { companyId: null, type: 'verification', count: 5 },
    ])
    const ofTwo = await usage.read(0, kept.clock.nowMs, [two], true)
    expect(ofTwo.map(({ count }) => count).sort()).toEqual([2, 3])
    expect(await usage.read(kept.clock.nowMs + dayMs, kept.clock.nowMs + dayMs, null, false)).toEqual([])
  })
})
