import { and, eq, isNotNull } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Identification } from '../../../src/analyses/identification/search.ts'
import type { Assessment } from '../../../src/assess/assessment.ts'
import { AppError } from '../../../src/errors.ts'
import type { AnalysisRunner } from '../../../src/folders/analysis-runner.ts'
import { engineResponses } from '../../../src/folders/engine-responses.ts'
import { submitAnalyses, submitMedia } from '../../../src/folders/submit.ts'
import { selectFolderNumber } from '../../../src/storage/folders/folder-rows.ts'
import { JobStore } from '../../../src/storage/folders/job-store.ts'
import { analyses, media } from '../../../src/storage/schema.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const links = { variant: 'full', pictures: false, linkTo: (key: string) => key } as const

const found = () => madeUpAssessment({ attack: 0.1 })

/** An answer that the test gives when it wants to. */
function held() {
  let answer: (assessment: Assessment) => void = () => {}
  const promise = new Promise<Assessment>((resolve) => {
    answer = resolve
  })
  return { promise, answer: () => answer(found()) }
}

describe('analysis runner', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let company: string
  const runners: AnalysisRunner[] = []

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    company = await kept.company('One')
  })

  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    await opened.close()
  })

  const run = (change: Parameters<KeptFolders['runner']>[0] = {}): AnalysisRunner => {
    const runner = kept.runner(change)
    runners.push(runner)
    runner.start()
    return runner
  }
  const rowOf = async (id: string) => {
    const [row] = await opened.database.read((queries) =>
      queries.select().from(analyses).where(eq(analyses.id, id)),
    )
    const { state, attempts, failure, dueAt } = row!
    return { state, attempts, failure: failure?.code ?? null, dueAt }
  }
  const ended = (id: string, state = 'FINISHED') =>
    vi.waitFor(async () => expect((await rowOf(id)).state).toBe(state), { timeout: 3000, interval: 5 })
  const events = async (): Promise<number> =>
    Number((await opened.client.execute('select count(*) as n from outbox')).rows[0]!.n)
  const looked = (times: number) =>
    vi.waitFor(() => expect(kept.assessor.looks).toBe(times), { timeout: 3000, interval: 2 })
  const pause = (ms = 40) => new Promise((resolve) => setTimeout(resolve, ms))

  it('carries analyses out, and looks at a medium once', async () => {
    const folder = await kept.folder(company, 'https://example.com/')
    const [first] = await kept.start(folder)
    const runner = run()
    await ended(first!)
    expect(await events()).toBe(1)
    const [second] = await kept.start(folder)
    runner.wake()
    await ended(second!)
    expect(kept.assessor.looks).toBe(1)
    expect((await kept.parts.folders.find(folder.id))!.result.resolutionStatus).toBe('FINISHED')
  })

  it('finds what was left by others without being told', async () => {
    run()
    await pause()
    const [id] = await kept.start(await kept.folder(company))
    await ended(id!)
  })

  it.each<[damage: string, how: string]>([
    ['a medium', `update media set tags = '{' where folder_number = 1`],
    ['an analysis', `update analyses set parameters = '{' where folder_number = 1`],
  ])('a folder with a damaged row of %s stops no other one', async (_, how) => {
    const other = await kept.company('Two')
    const damaged = await kept.folder(company)
    const [stuck] = await kept.start(damaged)
    const ids: string[] = []
    for (const owner of [company, company, other, other])
      ids.push(...(await kept.start(await kept.folder(owner))))
    await opened.client.execute(how)
    const runner = run({ atOnceMax: 1 })
    for (const id of ids) await ended(id)
    // Its attempts are used up like those of others.
    const attemptsOf = async () => {
      const [row] = (await opened.client.execute('select attempts from analyses where folder_number = 1'))
        .rows
      return Number(row!.attempts)
    }
    for (let attempt = 1; attempt <= 3; attempt++) {
      await vi.waitFor(async () => expect(await attemptsOf()).toBe(attempt), { timeout: 3000, interval: 5 })
      kept.clock.nowMs += 60_001
      runner.wake()
    }
    expect(kept.troubles).toHaveLength(3)
    expect(stuck).toBeDefined()
  })

  it('findings that are damaged are made anew', async () => {
    const [id] = await kept.start(await kept.folder(company))
    const damaged = "insert into findings (medium_number, models, found) values (1, ?, '{')"
    await opened.client.execute({ sql: damaged, args: [kept.parts.processor.modelsKey] })
    run()
    await ended(id!)
    expect(await rowOf(id!)).toMatchObject({ state: 'FINISHED', attempts: 1 })
    const { rows } = await opened.client.execute('select json_valid(found) as sound from findings')
    expect(rows[0]!.sound).toBe(1)
  })

  it('companies with damaged folders stop no other company, in one pass', async () => {
    // In the order the database has them.
    const companies = [company, await kept.company('Two'), await kept.company('Three')].sort()
    const last = companies.pop()!
    for (const poisoned of companies)
      for (let i = 0; i < 3; i++) await kept.start(await kept.folder(poisoned))
    await opened.client.execute(`update media set tags = '{'`)
    const [healthy] = await kept.start(await kept.folder(last))
    await kept.runner().drain(() => false)
    expect((await rowOf(healthy!)).state).toBe('FINISHED')
    expect(kept.troubles.length).toBeGreaterThanOrEqual(2)
  })

  it('a database that is away is asked once more, not for each company', async () => {
    for (const name of ['Two', 'Three', 'Four']) await kept.start(await kept.folder(await kept.company(name)))
    const away = new Error('away')
    const waiting = vi.spyOn(kept.parts.jobs, 'waiting')
    const taken = vi.spyOn(kept.parts.jobs, 'take').mockImplementation(async () => {
      waiting.mockRejectedValue(away)
      throw away
    })
    await kept.runner().drain(() => false)
    expect([taken.mock.calls.length, waiting.mock.calls.length, kept.troubles]).toEqual([1, 2, [away]])
  })

  it('works on so many at once and no more', async () => {
    const answers = Array.from({ length: 5 }, held)
    kept.assessor.look = () => answers[kept.assessor.looks - 1]!.promise
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(...(await kept.start(await kept.folder(company))))
    run({ atOnceMax: 2 })
    await looked(2)
    await pause()
    expect(kept.assessor.looks).toBe(2)
    for (const { answer } of answers) answer()
    for (const id of ids) await ended(id)
    expect(kept.assessor.runningMax).toBe(2)
  })

  it('runs the analyses of a folder one after another, or in parallel if so configured', async () => {
    const another = submittedMedium({ key: 'b', byte: 2, originalName: 'b.jpg' })
    for (const isParallel of [false, true]) {
      const answers = [held(), held()]
      kept.assessor.looks = 0
      kept.assessor.runningMax = 0
      kept.assessor.look = () => answers[kept.assessor.looks - 1]!.promise
      const folder = await kept.folder(company)
      await submitMedia(kept.parts, folder, [another], {})
      const filled = (await kept.parts.folders.find(folder.id))!
      const wanted = filled.media.map(({ id }) => ({ ...quality, mediumKeys: [id] }))
      const { analyses: started } = await submitAnalyses(kept.parts, filled, wanted, null)
      const runner = run({ atOnceMax: 2, isParallel })
      await looked(isParallel ? 2 : 1)
      await pause()
      expect(kept.assessor.looks).toBe(isParallel ? 2 : 1)
      for (const { answer } of answers) answer()
      for (const { id } of started) await ended(id)
      expect([isParallel, kept.assessor.runningMax]).toEqual([isParallel, isParallel ? 2 : 1])
      await runner.stop()
    }
  })

  /** Two companies, in the order the database has them: an unfair runner would serve the first one first. */
  async function bothCompanies(): Promise<[string, string]> {
    return [company, await kept.company('Two')].sort() as [string, string]
  }

  it('lets no company wait behind the queue of another', async () => {
    const [busy, other] = await bothCompanies()
    const many: string[] = []
    for (let i = 0; i < 6; i++) many.push(...(await kept.start(await kept.folder(busy))))
    const [single] = await kept.start(await kept.folder(other))
    const order: string[] = []
    kept.assessor.look = async () => {
      // Whoever is being worked on has a worker now.
      const [taken] = await opened.database.read((queries) =>
        queries
          .select({ id: analyses.id })
          .from(analyses)
          .where(and(eq(analyses.state, 'PROCESSING'), isNotNull(analyses.leasedBy))),
      )
      order.push(taken!.id)
      kept.clock.nowMs++
      return found()
    }
    run({ atOnceMax: 1 })
    for (const id of [...many, single!]) await ended(id)
    expect(order.indexOf(single!)).toBeLessThanOrEqual(1)
    expect(order.filter((id) => id !== single)).toEqual(many)
  })

  it('gives a free place to the company that has the fewest at work', async () => {
    const [busy, other] = await bothCompanies()
    const answers = Array.from({ length: 5 }, held)
    kept.assessor.look = () => answers[kept.assessor.looks - 1]!.promise
    const start = async (owner: string) => (await kept.start(await kept.folder(owner)))[0]!
    const runner = run({ atOnceMax: 3 })
    const begin = async (owner: string, looks: number) => {
      const id = await start(owner)
      runner.wake()
      await looked(looks)
      return id
    }
    await begin(busy, 1)
    await begin(busy, 2)
    const served = await begin(other, 3)
    // The other company was served last, but has nobody at work when a place is free.
    const waiting = await start(busy)
    const preferred = await start(other)
    answers[2]!.answer()
    await ended(served)
    await looked(4)
    expect([(await rowOf(preferred)).attempts, (await rowOf(waiting)).attempts]).toEqual([1, 0])
    for (const { answer } of answers) answer()
  })

  it.each(['engine_unavailable', 'media_unprocessable', 'internal'] as const)(
    'tries three times, with a pause between, and then gives up (%s)',
    async (code) => {
      kept.assessor.look = async () => {
        throw new AppError(code)
      }
      const folder = await kept.folder(company, 'https://example.com/')
      const [id] = await kept.start(folder)
      run()
      for (const attempt of [1, 2]) {
        await looked(attempt)
        await vi.waitFor(async () => {
          expect(await rowOf(id!)).toMatchObject({ attempts: attempt, dueAt: kept.clock.nowMs + 30_000 })
        })
        kept.clock.nowMs += 29_999
        await pause()
        expect(kept.assessor.looks).toBe(attempt)
        expect(await events()).toBe(0)
        kept.clock.nowMs += 1
      }
      await ended(id!, 'FAILED')
      expect(await rowOf(id!)).toMatchObject({ attempts: 3, failure: 3102, dueAt: null })
      expect(kept.troubles).toHaveLength(3)
      expect((await kept.parts.folders.find(folder.id))!.result.resolutionStatus).toBe('FAILED')
      expect(await events()).toBe(1)
    },
  )

  it('does not try again what cannot be read', async () => {
    kept.assessor.look = async () => {
      throw new AppError('media_unreadable')
    }
    const [id] = await kept.start(await kept.folder(company))
    run()
    await ended(id!, 'FAILED')
    expect(await rowOf(id!)).toMatchObject({ attempts: 1, failure: 3102 })
  })

  it.each([1, 3])('counts no attempt of %i while the queue is full', async (attemptsMax) => {
    const busy = keepFolders(opened.database, attemptsMax)
    let refusals = 0
    busy.assessor.look = async () => {
      if (refusals++ < 5) throw new AppError('overloaded')
      return found()
    }
    const [id] = await busy.start(await busy.folder(company))
    const runner = busy.runner()
    runners.push(runner)
    runner.start()
    for (let i = 1; i <= 5; i++) {
      await vi.waitFor(() => expect(busy.assessor.looks).toBe(i), { timeout: 3000, interval: 2 })
      await vi.waitFor(async () => expect((await rowOf(id!)).attempts).toBe(0))
      busy.clock.nowMs += 1000
    }
    await ended(id!)
    expect((await rowOf(id!)).attempts).toBe(1)
  })

  it('takes over from a worker that died, and only one result counts', async () => {
    const [late, timely] = [held(), held()]
    kept.assessor.look = () => (kept.assessor.looks === 1 ? late.promise : timely.promise)
    const folder = await kept.folder(company, 'https://example.com/')
    const [id] = await kept.start(folder)
    // It has its hands full, so that it does not take over from itself.
    run({ atOnceMax: 1 })
    await looked(1)
    run({ atOnceMax: 1 })
    await pause()
    expect(kept.assessor.looks).toBe(1)
    kept.clock.nowMs += 60_001
    await looked(2)
    expect((await rowOf(id!)).attempts).toBe(2)
    timely.answer()
    await ended(id!)
    const before = (await kept.parts.analyses.find(id!))!.analysis
    kept.clock.nowMs += 5
    late.answer()
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    expect((await kept.parts.analyses.find(id!))!.analysis).toEqual(before)
    expect(await events()).toBe(1)
    expect(kept.troubles).toEqual([])
  })

  it('gives signs of life also while one of them hangs', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const extend = vi.spyOn(JobStore.prototype, 'extend').mockReturnValueOnce(new Promise(() => {}))
    const [id] = await kept.start(await kept.folder(company))
    run({ leaseMs: 60 })
    await vi.waitFor(() => expect(extend.mock.calls.length).toBeGreaterThan(2), { timeout: 3000 })
    extend.mockRestore()
    slow.answer()
    await ended(id!)
  })

  it('is not taken for dead while it gives signs of life', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const [id] = await kept.start(await kept.folder(company))
    run({ leaseMs: 60 })
    await looked(1)
    run({ leaseMs: 60 })
    for (let i = 0; i < 8; i++) {
      await pause(25)
      kept.clock.nowMs += 25
    }
    expect(kept.assessor.looks).toBe(1)
    slow.answer()
    await ended(id!)
    expect((await rowOf(id!)).attempts).toBe(1)
  })

  it('waits for a file that is not there, and gives up after all attempts', async () => {
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    const [key] = kept.blobs.keys().filter((name) => name.startsWith(folder.id) && !name.includes('_'))
    const bytes = (await kept.blobs.read(key!))!
    await kept.blobs.delete([key!])
    const runner = run()
    const failed = (attempts: number) =>
      vi.waitFor(async () => {
        expect(await rowOf(id!)).toMatchObject({ attempts, dueAt: kept.clock.nowMs + 30_000 })
      })
    await failed(1)
    await kept.blobs.put(key!, bytes, 'image/jpeg')
    kept.clock.nowMs += 30_000
    await ended(id!)
    await kept.blobs.delete([key!])
    await opened.client.execute('delete from findings')
    const [lost] = await kept.start(folder)
    runner.wake()
    for (const attempt of [1, 2]) {
      await vi.waitFor(async () => expect((await rowOf(lost!)).attempts).toBe(attempt))
      await vi.waitFor(async () => expect((await rowOf(lost!)).dueAt).toBe(kept.clock.nowMs + 30_000))
      kept.clock.nowMs += 30_000
    }
    await ended(lost!, 'FAILED')
    expect(await rowOf(lost!)).toMatchObject({ attempts: 3, failure: 3103 })
    expect(kept.troubles).toHaveLength(4)
  })

  it('fails an analysis whose medium was removed', async () => {
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    await opened.database.write((queries) =>
      queries.delete(media).where(eq(media.folderNumber, selectFolderNumber(folder.id))),
    )
    const told: unknown[] = []
    run({ onAbandoned: (analysis) => told.push(analysis) })
    await ended(id!, 'FAILED')
    expect((await rowOf(id!)).failure).toBe(3103)
    await vi.waitFor(() => expect(told).toEqual([{ type: 'liveness', why: 'mediumLost' }]))
  })

  it('leaves nothing of a medium that goes while it is looked at', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    run()
    await looked(1)
    const { clearFolder } = await import('../../../src/folders/remove-folder.ts')
    await clearFolder(kept.parts, folder.id)
    slow.answer()
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    const { analysis } = (await kept.parts.analyses.find(id!))!
    expect(analysis).toMatchObject({ outcome: { failure: { code: 3105 } }, media: [], evidence: null })
    expect(kept.blobs.keys()).toEqual([])
    const { rows } = await opened.client.execute('select * from findings, blob_removals')
    expect(rows).toEqual([])
  })

  it('leaves the result of each medium as a file where that is configured, until the analysis is removed', async () => {
    const folder = await kept.folder(company)
    const [medium] = folder.media
    const responses = engineResponses({ showReplay: false, showLiveness: false, ...links })
    const [id] = await kept.start(folder)
    run({ engineResponses: responses })
    await ended(id!)
    const name = `${folder.id}/${id}_${medium!.id}_engine_response.json`
    const written = JSON.parse(new TextDecoder().decode((await kept.blobs.read(name))!))
    expect(written).toMatchObject({ analysis_id: id, state: 'FINISHED', resolution_status: 'SUCCESS' })
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    await kept.parts.analyses.delete(id!, { eventId: null, nowMs: kept.clock.nowMs })
    await kept.parts.files.sweep()
    expect(await kept.blobs.read(name)).toBeNull()
  })

  it('a file that cannot be stored holds back its folder alone, and costs no attempt', async () => {
    const [folder, other] = [await kept.folder(company), await kept.folder(company)]
    const [[id], [otherId]] = [await kept.start(folder), await kept.start(other)]
    const file = `${folder.id}/${id}`
    const { put } = kept.blobs
    const refusing = vi.spyOn(kept.blobs, 'put').mockImplementation(async (key, ...blob) => {
      if (key.startsWith(file)) throw new AppError('external_failed')
      return put(key, ...blob)
    })
    run({ engineResponses: engineResponses({ showReplay: false, showLiveness: false, ...links }) })
    await ended(otherId!)
    await vi.waitFor(
      async () => expect(await rowOf(id!)).toMatchObject({ attempts: 0, dueAt: kept.clock.nowMs + 30_000 }),
      { timeout: 3000, interval: 5 },
    )
    expect(kept.troubles).toEqual([new AppError('external_failed')])
    refusing.mockRestore()
    kept.clock.nowMs += 30_000
    await ended(id!)
    expect((await rowOf(id!)).attempts).toBe(1)
    expect(kept.blobs.keys().filter((key) => key.startsWith(file))).toHaveLength(1)
  })

  it('leaves no file of a result that comes too late', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const folder = await kept.folder(company)
    await kept.start(folder)
    run({ engineResponses: engineResponses({ showReplay: false, showLiveness: false, ...links }) })
    await looked(1)
    const later = kept.clock.nowMs + 1000
    await kept.parts.jobs.expire(
      { startedBefore: later, createdBefore: later, leasedAfter: later + 10 ** 9 },
      () => ({ eventId: null, nowMs: kept.clock.nowMs }),
      () => {},
    )
    slow.answer()
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    expect(kept.blobs.keys().filter((key) => key.endsWith('.json'))).toEqual([])
  })

  it('keeps the file of an analysis that another worker finished first', async () => {
    const slow = held()
    kept.assessor.look = async () => (kept.assessor.looks === 1 ? slow.promise : found())
    const [id] = await kept.start(await kept.folder(company))
    const withFiles = {
      engineResponses: engineResponses({ showReplay: false, showLiveness: false, ...links }),
    }
    const late = run(withFiles)
    await looked(1)
    kept.clock.nowMs += 3600_000
    run(withFiles)
    await ended(id!)
    const files = () => kept.blobs.keys().filter((key) => key.endsWith('.json'))
    const [file] = files()
    expect(file).toContain(id)
    slow.answer()
    await late.stop()
    expect(files()).toEqual([file])
  })

  it('does not remove the file of an analysis that another worker is about to finish', async () => {
    const [late, timely] = [held(), held()]
    kept.assessor.look = () => (kept.assessor.looks === 1 ? late.promise : timely.promise)
    const [id] = await kept.start(await kept.folder(company))
    const withFiles = {
      atOnceMax: 1,
      engineResponses: engineResponses({ showReplay: false, showLiveness: false, ...links }),
    }
    const loser = run(withFiles)
    await looked(1)
    kept.clock.nowMs += 3600_000
    const { settle } = kept.parts.jobs
    // The file is written, and its analysis is not stored yet.
    let goOn: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const settling = vi.spyOn(kept.parts.jobs, 'settle').mockImplementationOnce(async (...settled) => {
      await gate
      return settle.apply(kept.parts.jobs, settled)
    })
    run(withFiles)
    await looked(2)
    timely.answer()
    await vi.waitFor(() => expect(settling).toHaveBeenCalledTimes(1), { timeout: 3000, interval: 2 })
    late.answer()
    await loser.stop()
    goOn()
    await ended(id!)
    await Promise.all(runners.splice(0).map((runner) => runner.stop()))
    kept.clock.nowMs += 2 * 3600_000
    await kept.parts.files.sweep()
    expect(kept.blobs.keys().filter((key) => key.endsWith('.json'))).toHaveLength(1)
  })

  it('what one analysis needs and cannot have does not cost the others their result', async () => {
    kept.assessor.look = async (_, { document }) => {
      if (document) throw new AppError('media_unreadable')
      return found()
    }
    const folder = await kept.folder(company)
    const request = [quality, { ...quality, type: 'documents' as const }, quality]
    const { analyses: started } = await submitAnalyses(kept.parts, folder, request, null)
    run()
    const [first, documents, last] = started.map(({ id }) => id)
    await ended(documents!, 'FAILED')
    expect(await rowOf(documents!)).toMatchObject({ attempts: 1, failure: 3102 })
    expect([(await rowOf(first!)).state, (await rowOf(last!)).state]).toEqual(['FINISHED', 'FINISHED'])
    // Together, and for those without the document.
    expect(kept.assessor.looks).toBe(2)
  })

  it('looks once at a medium that cannot be read', async () => {
    kept.assessor.look = async () => {
      throw new AppError('media_unreadable')
    }
    const folder = await kept.folder(company)
    const request = [quality, { ...quality, extractBestShot: true }, quality]
    const { analyses: started } = await submitAnalyses(kept.parts, folder, request, null)
    run()
    for (const { id } of started) await ended(id, 'FAILED')
    expect(kept.assessor.looks).toBe(1)
  })

  it.each(['external_failed', 'database_failed'] as const)(
    'loses no attempt while a store does not answer (%s)',
    async (code) => {
      let failures = 0
      kept.assessor.look = async () => {
        if (failures++ < 4) throw new AppError(code)
        return found()
      }
      const [id] = await kept.start(await kept.folder(company))
      run()
      for (let time = 1; time <= 4; time++) {
        await looked(time)
        await vi.waitFor(async () => {
          expect(await rowOf(id!)).toMatchObject({ attempts: 0, dueAt: kept.clock.nowMs + 30_000 })
        })
        kept.clock.nowMs += 30_000
      }
      await ended(id!)
      expect((await rowOf(id!)).attempts).toBe(1)
    },
  )

  it('loses no attempt when the workers are lost, and takes nothing until there are some', async () => {
    kept.assessor.look = async () => {
      kept.assessor.isReady = false
      throw new AppError('engine_unavailable')
    }
    const [id] = await kept.start(await kept.folder(company))
    run()
    await vi.waitFor(async () => {
      expect(await rowOf(id!)).toMatchObject({ attempts: 0, dueAt: kept.clock.nowMs + 30_000 })
    })
    kept.clock.nowMs += 1_000_000
    await pause()
    expect([kept.assessor.looks, (await rowOf(id!)).attempts]).toEqual([1, 0])
    // It was nobody's work meanwhile.
    await kept.housekeeping().beat()
    kept.assessor.look = async () => found()
    kept.assessor.isReady = true
    await ended(id!)
    expect((await rowOf(id!)).attempts).toBe(1)
  })

  it('stores a result again when the database did not answer, instead of working again', async () => {
    const { settle } = kept.parts.jobs
    let failures = 0
    vi.spyOn(kept.parts.jobs, 'settle').mockImplementation(async (...settled) => {
      if (failures++ < 2) throw new AppError('database_failed')
      return settle.apply(kept.parts.jobs, settled)
    })
    const [id] = await kept.start(await kept.folder(company))
    run()
    await vi.waitFor(async () => expect((await rowOf(id!)).state).toBe('FINISHED'), 30_000)
    expect([kept.assessor.looks, (await rowOf(id!)).attempts, failures]).toEqual([1, 1, 3])
    expect(kept.troubles).toEqual([])
  })

  it('a worker that lost its lease stores nothing of what it found', async () => {
    const [late, timely] = [held(), held()]
    kept.assessor.look = () => (kept.assessor.looks === 1 ? late.promise : timely.promise)
    const [id] = await kept.start(await kept.folder(company))
    const loser = run({ atOnceMax: 1 })
    await looked(1)
    kept.clock.nowMs += 3600_000
    run({ atOnceMax: 1 })
    await looked(2)
    timely.answer()
    await ended(id!)
    await opened.client.execute(`update findings set models = 'of a newer release'`)
    late.answer()
    await loser.stop()
    const { rows } = await opened.client.execute('select models from findings')
    expect(rows.map(({ models }) => models)).toEqual(['of a newer release'])
  })

  it('leaves work to a worker whose clock is ahead', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const [id] = await kept.start(await kept.folder(company))
    run({ atOnceMax: 1, leaseMs: 20_000, nowMs: () => kept.clock.nowMs + 40_000 })
    await looked(1)
    run({ atOnceMax: 1, leaseMs: 20_000, attemptDelayMs: 0 })
    await pause()
    expect((await rowOf(id!)).attempts).toBe(1)
    slow.answer()
    await ended(id!)
  })

  it('goes on when the clock was set back', async () => {
    const [waiting] = await kept.start(await kept.folder(company))
    kept.clock.nowMs -= 24 * 3600_000
    const runner = run()
    await ended(waiting!)
    // An analysis that pauses after a failure.
    kept.clock.nowMs += 24 * 3600_000
    const [paused] = await kept.start(await kept.folder(company))
    kept.assessor.look = async () => {
      throw new Error('once')
    }
    runner.wake()
    await vi.waitFor(async () => expect((await rowOf(paused!)).dueAt).toBe(kept.clock.nowMs + 30_000))
    kept.assessor.look = async () => found()
    kept.clock.nowMs -= 24 * 3600_000
    await ended(paused!)
  })

  it('takes up nothing once it was told to stop, and waits for what runs', async () => {
    const slow = held()
    kept.assessor.look = () => slow.promise
    const [id] = await kept.start(await kept.folder(company))
    // Stopped while it looks for work.
    const stopped = run().stop()
    await pause()
    const isTaken = kept.assessor.running === 1
    slow.answer()
    await stopped
    const row = await rowOf(id!)
    expect([kept.assessor.running, row.state]).toEqual([0, isTaken ? 'FINISHED' : 'PROCESSING'])
    await pause()
    expect(await rowOf(id!)).toEqual(row)
  })

  it('works on when the database fails for a while', async () => {
    const { jobs } = kept.parts
    const waiting = vi.spyOn(jobs, 'waiting').mockRejectedValue(new AppError('database_failed'))
    const [id] = await kept.start(await kept.folder(company))
    run()
    await vi.waitFor(() => expect(kept.troubles.length).toBeGreaterThan(1))
    waiting.mockRestore()
    await ended(id!)
  })

  describe('of collections', () => {
    const begin = async (falseHitsMax: number | null = null): Promise<string> => {
      const folder = await kept.folder(company)
      kept.assessor.look = async () => madeUpAssessment({ vector: axisTemplate(1) })
      const search = { collectionId: crypto.randomUUID(), countMax: 1, falseHitsMax }
      const request = { ...quality, type: 'identification' as const, search }
      const { analyses } = await submitAnalyses(kept.parts, folder, [request], null)
      return analyses[0]!.id
    }
    const searching = (
      found: [] | null,
      completeness: () => 'complete' | 'being_renewed' | 'incomplete' = () => 'complete',
    ): Identification => ({
      gallery: { search: async () => found, count: async () => found && 1000 },
      templates: {
        imageIds: async () => new Map<number, string>(),
        completeness: async () => completeness(),
      },
    })

    it('fails one whose collection has gone, at once and for good', async () => {
      const id = await begin()
      run({ identification: searching(null) })
      await ended(id, 'FAILED')
      expect(await rowOf(id)).toMatchObject({ attempts: 1, failure: 3104 })
    })

    it('waits while templates are made anew, and loses no attempt by it', async () => {
      const id = await begin()
      let looks = 0
      run({ identification: searching([], () => (++looks < 3 ? 'being_renewed' : 'complete')) })
      await vi.waitFor(() => expect(looks).toBe(1))
      expect((await kept.parts.analyses.find(id))!.analysis.outcome.status).toBe('processing')
      await vi.waitFor(
        async () => {
          kept.clock.nowMs += 1000
          expect((await rowOf(id)).state).toBe('FINISHED')
        },
        { timeout: 3000, interval: 20 },
      )
      expect((await rowOf(id)).attempts).toBe(1)
    })

    it('raises the threshold with the size of the list where that is asked for', async () => {
      const thresholds = await Promise.all(
        [null, 0.5, 0.01].map(async (falseHitsMax) => {
          const id = await begin(falseHitsMax)
          run({ identification: searching([]) })
          await ended(id)
          const { analysis } = (await kept.parts.analyses.find(id))!
          return analysis.type === 'identification' && analysis.parameters.band
        }),
      )
      expect(thresholds).toEqual([
        quality.band,
        { min: expect.closeTo(0.868, 3), max: expect.closeTo(0.868, 3) },
        { min: expect.closeTo(0.973, 3), max: expect.closeTo(0.973, 3) },
      ])
    })

    it('leaves it to an operator when nobody is found in a list that cannot be searched as a whole', async () => {
      const id = await begin()
      run({ identification: searching([], () => 'incomplete') })
      await ended(id)
      expect((await kept.parts.analyses.find(id))!.analysis.outcome).toEqual({
        status: 'finished',
        decision: 'OPERATOR_REQUIRED',
      })
    })
  })
})
