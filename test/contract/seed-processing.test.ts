/** What the contract demands of how analyses are carried out, where no answer shows it: the processor and the stores alone. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { submitFolder } from '../../src/folders/submit.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import type { RequestedAnalysis } from '../../src/records/analysis.ts'
import type { SubmittedMedium } from '../../src/records/folder.ts'
import { axisTemplate, madeUpAssessment } from '../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../fixtures/database.ts'
import { keepFolders, quality } from '../fixtures/kept-folders.ts'
import { testedRuntime } from '../fixtures/server.ts'

const keys = ['a', 'b', 'c']
const media = keys.map(
  (key, place): SubmittedMedium => ({
    ...{ key, medium: openMedium(Uint8Array.of(place)), originalName: `${key}.jpg`, tags: [], metadata: {} },
  }),
)
const analysisOf = (...mediumKeys: string[]): RequestedAnalysis => ({ ...quality, mediumKeys })

// The same code runs on every runtime.
describe.skipIf(testedRuntime !== 'node')('the contract of processing', () => {
  let opened: TestDatabase

  beforeEach(async () => {
    opened = await openTestDatabase()
  })

  afterEach(() => opened.close())

  /** Processes a single request with three workers and returns the media whose assessments overlapped. */
  async function overlapsOf(isParallel: boolean, analyses: RequestedAnalysis[]): Promise<string[]> {
    const kept = keepFolders(opened.database, 3, { isParallel, workers: 3 })
    const running = new Set<string>()
    const overlaps = new Set<string>()
    kept.assessor.look = async ([place]) => {
      const key = keys[place!]!
      for (const other of running) overlaps.add([key, other].sort().join(''))
      running.add(key)
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      running.delete(key)
      return madeUpAssessment({ attack: 0.1 })
    }
    const submission = {
      companyId: null,
      userId: null,
      resolutionEndpoint: null,
      metadata: {},
      media,
      analyses,
    }
    const { folder } = await kept.parts.processor.runSubmission(submission, false, {})
    expect(folder.analyses.map(({ outcome }) => outcome.status)).toEqual(analyses.map(() => 'finished'))
    expect(kept.assessor.looks).toBe(3)
    return [...overlaps].sort()
  }

  it.each<[boolean, string, RequestedAnalysis[], string[]]>([
    [false, 'each of one medium', keys.map((key) => analysisOf(key)), []],
    [true, 'each of one medium', keys.map((key) => analysisOf(key)), ['ab', 'ac', 'bc']],
    [false, 'one of two media, one of all', [analysisOf('a', 'b'), analysisOf('a', 'b', 'c')], ['ab']],
    [false, 'the same media', [analysisOf('a', 'b', 'c'), analysisOf('a', 'b', 'c')], ['ab', 'ac', 'bc']],
  ])(
    'F259, F290: with the setting %s, analyses of a single request, %s',
    async (isParallel, _, analyses, expected) => {
      expect(await overlapsOf(isParallel, analyses)).toEqual(expected)
    },
  )

  it('F257: 100 000 orders with analyses take about 4 GB of the database at most', async () => {
    const kept = keepFolders(opened.database)
    kept.assessor.look = async ([place]) => madeUpAssessment({ attack: 0.1, vector: axisTemplate(place!) })
    const companyId = await kept.company('Orders')
    const bytes = async (): Promise<number> => {
      const [{ rows: pages }, { rows: sizes }] = await Promise.all(
        ['pragma page_count', 'pragma page_size'].map((text) => opened.client.execute(text)),
      ).then(([count, size]) => [count!, size!] as const)
      return Number(pages[0]![0]) * Number(sizes[0]![0])
    }
    const before = await bytes()
    const count = 60
    for (let i = 0; i < count; i++) {
      const metadata = { transaction_id: `order-${i}`, client_iin: '000000000000' }
      const order = { companyId, userId: null, resolutionEndpoint: null, metadata, media }
      await submitFolder(
        kept.parts,
        { ...order, analyses: [quality, { ...quality, type: 'verification' }] },
        {},
      )
    }
    expect((await bytes()) - before).toBeGreaterThan(count * 1000)
    expect((await bytes()) - before).toBeLessThan((count * 4e9) / 100_000)
  })
})
