import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import {
  AssessorPool,
  type PoolOptions,
  type WorkerAnswer,
  type WorkerEvents,
  type WorkerTask,
} from '../../../src/assess/pool.ts'
import { AppError, type ErrorCode } from '../../../src/errors.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'

const wanted: AssessmentRequest = { faces: true, template: false, pad: true, bestShot: false }
const medium = (name: string) => openMedium(new TextEncoder().encode(name))
/** Expensive because it is an archive. */
const archive = (name: string) => medium(`PK\x03\x04${name}`)
const nameOf = ({ medium }: WorkerTask) => new TextDecoder().decode(medium.bytes)

/** A fake worker whose answers are controlled by the test. */
interface FakeWorker {
  events: WorkerEvents
  tasks: string[]
  terminated: boolean
}

function fakePool(options: Partial<PoolOptions> = {}, onTask?: (worker: FakeWorker, name: string) => void) {
  const workers: FakeWorker[] = []
  const pool = new AssessorPool({
    workers: 1,
    waitingMax: 10,
    waitMaxMs: 60_000,
    taskTimeoutMs: 60_000,
    clipMaxS: 10,
    startTimeoutMs: 60_000,
    restMs: 45_000,
    startWorker(events) {
      const worker: FakeWorker = { events, tasks: [], terminated: false }
      workers.push(worker)
      queueMicrotask(() => events.onAnswer({ kind: 'ready', account: null }))
      return {
        post(task) {
          worker.tasks.push(nameOf(task))
          onTask?.(worker, nameOf(task))
        },
        workedMs: () => performance.now(),
        terminate: async () => {
          worker.terminated = true
        },
      }
    },
    ...options,
  })
  return { pool, workers }
}

const refusal = (code: ErrorCode, details: AppError['details'] = null): WorkerAnswer => ({
  kind: 'refused',
  code,
  message: 'broken',
  details,
  cause: null,
})
const finish = (worker: FakeWorker) =>
  queueMicrotask(() => worker.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() }))
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

describe('a pool of workers', () => {
  it('gives each worker one medium at a time, in order', async () => {
    const { pool, workers } = fakePool({ workers: 2 }, finish)
    await pool.ready()
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => pool.assess(medium(name), wanted)))
    expect(workers.flatMap(({ tasks }) => tasks).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(workers[0]?.tasks[0]).toBe('a')
    expect(workers[1]?.tasks[0]).toBe('b')
  })

  it('refuses media that do not fit into the queue, and assesses the others', async () => {
    const { pool, workers } = fakePool({ waitingMax: 2 })
    await pool.ready()
    const accepted = ['a', 'b', 'c'].map((name) => pool.assess(medium(name), wanted))
    expect(await codeOf(pool.assess(medium('d'), wanted))).toBe('overloaded')
    for (let i = 0; i < 3; i++) {
      workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    }
    await Promise.all(accepted)
    expect(workers[0]?.tasks).toEqual(['a', 'b', 'c'])
  })

  it('refuses the caller who fills the queue, and accepts one with a single medium', async () => {
    const { pool, workers } = fakePool({ waitingMax: 2 })
    await pool.ready()
    const by = (caller: string, name: string) =>
      pool.assess(medium(name), wanted, undefined, anonymousCaller(caller))
    const flood = ['a', 'b', 'c'].map((name) => by('greedy', name))
    const refused = codeOf(flood[2]!)
    const honest = by('honest', 'h')
    expect(await refused).toBe('overloaded')
    expect(await codeOf(by('greedy', 'd'))).toBe('overloaded')
    for (let i = 0; i < 3; i++)
      workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    await Promise.all([flood[0], flood[1], honest])
    expect(workers[0]?.tasks.toSorted()).toEqual(['a', 'b', 'h'])
  })

  it('starts an additional worker for cheap media with the first expensive medium', async () => {
    const { pool, workers } = fakePool({ workers: 1 })
    await pool.ready()
    const photo = pool.assess(medium('photo'), wanted)
    expect(workers).toHaveLength(1)
    const dear = [archive('1'), archive('2')].map((bytes) => pool.assess(bytes, wanted))
    const answer = (index: number) =>
      workers[index]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    await vi.waitFor(() => expect(workers).toHaveLength(2))
    answer(0)
    await photo
    const quick = pool.assess(medium('quick'), wanted)
    await vi.waitFor(() => expect(workers[1]?.tasks).toEqual(['quick']))
    expect(workers[0]?.tasks).toEqual(['photo', 'PK\x03\x041'])
    answer(1)
    await quick
    expect(workers[1]?.tasks).toEqual(['quick'])
    answer(0)
    answer(0)
    await Promise.all(dear)
    const closed = pool.close()
    await closed
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, true])
  })

  const crowds = [
    { name: 'of one address', addressOf: () => 'greedy', honest: anonymousCaller('honest') },
    {
      name: 'of an address each',
      addressOf: (i: number) => `greedy ${i}`,
      honest: { company: 'a', address: 'b' },
    },
  ]

  // The estimate for such a photo is between the two.
  it.each(crowds.flatMap((crowd) => [60, 300].map((photoMs) => ({ ...crowd, photoMs }))))(
    'lets an honest caller wait twice as long as alone at most, beside eighty greedy ones $name, for photos of $photoMs ms',
    async (flood) => {
      vi.useFakeTimers()
      const { photoMs } = flood
      const { pool } = fakePool({ workers: 2, waitingMax: 64 }, (worker) =>
        setTimeout(
          () => worker.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() }),
          photoMs,
        ),
      )
      await pool.ready()
      const calls = 60
      let isOver = false
      const greedy = async (i: number): Promise<void> => {
        while (!isOver) {
          const caller = anonymousCaller(flood.addressOf(i))
          const code = await codeOf(pool.assess(medium('photo'), wanted, undefined, caller))
          // Refused callers retry.
          if (code !== 'done') await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      const floods = Array.from({ length: 80 }, (_, i) => greedy(i))
      const waitsMs: number[] = []
      const calling = (async () => {
        for (let i = 0; i < calls; i++) {
          await new Promise((resolve) => setTimeout(resolve, 110))
          const begunMs = Date.now()
          expect(await codeOf(pool.assess(medium('photo'), wanted, undefined, flood.honest))).toBe('done')
          waitsMs.push(Date.now() - begunMs)
        }
        isOver = true
      })()
      for (let step = 0; step < 6000 && !isOver; step++) await vi.advanceTimersByTimeAsync(10)
      await calling
      await vi.advanceTimersByTimeAsync(60_000)
      await Promise.all(floods)
      vi.useRealTimers()
      expect(waitsMs).toHaveLength(calls)
      expect(Math.max(...waitsMs)).toBeLessThanOrEqual(2 * photoMs)
    },
  )

  it('refuses media that have waited too long', async () => {
    const { pool, workers } = fakePool({ waitMaxMs: 30 })
    await pool.ready()
    const first = pool.assess(medium('first'), wanted)
    expect(await codeOf(pool.assess(medium('second'), wanted))).toBe('overloaded')
    workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    await first
    expect(workers[0]?.tasks).toEqual(['first'])
  })

  it('passes a refusal to its own caller', async () => {
    const { pool } = fakePool({}, (worker, name) =>
      queueMicrotask(() =>
        worker.events.onAnswer(
          name === 'bad' ? refusal('media_unreadable') : { kind: 'assessed', assessment: madeUpAssessment() },
        ),
      ),
    )
    const answers = ['bad', 'good'].map((name) => codeOf(pool.assess(medium(name), wanted)))
    expect(await Promise.all(answers)).toEqual(['media_unreadable', 'done'])
  })

  it('passes on what a refusal says of the medium', async () => {
    const details = { width: 20_000, expected: 'at most 16384' }
    const { pool } = fakePool({}, (worker) =>
      queueMicrotask(() => worker.events.onAnswer(refusal('media_unreadable', details))),
    )
    await expect(pool.assess(medium('wide'), wanted)).rejects.toMatchObject({ details })
  })

  it('retries a medium whose worker crashed, and answers the others', async () => {
    let losses = 0
    const { pool, workers } = fakePool({}, (worker, name) => {
      if (name === 'unlucky' && losses++ === 0)
        queueMicrotask(() => worker.events.onCrash(new Error('crash')))
      else finish(worker)
    })
    const answers = ['unlucky', 'other'].map((name) => codeOf(pool.assess(medium(name), wanted)))
    expect(await Promise.all(answers)).toEqual(['done', 'done'])
    expect(workers).toHaveLength(2)
    expect(pool.health().replaced).toBe(1)
  })

  it('refuses a medium that crashed two workers, and answers the next one', async () => {
    const { pool } = fakePool({}, (worker, name) => {
      if (name === 'killer') queueMicrotask(() => worker.events.onCrash(new Error('crash')))
      else finish(worker)
    })
    const answers = ['killer', 'next'].map((name) => codeOf(pool.assess(medium(name), wanted)))
    expect(await Promise.all(answers)).toEqual(['media_unprocessable', 'done'])
  })

  it('replaces a worker whose runtime failed', async () => {
    let failed = false
    const { pool, workers } = fakePool({}, (worker) => {
      if (failed) return finish(worker)
      failed = true
      queueMicrotask(() => worker.events.onAnswer(refusal('engine_unavailable')))
    })
    expect(await codeOf(pool.assess(medium('a'), wanted))).toBe('done')
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, false])
  })

  it('refuses a medium at the time limit and replaces its worker', async () => {
    const { pool, workers } = fakePool({ taskTimeoutMs: 30 }, (worker, name) => {
      if (name !== 'endless') finish(worker)
    })
    const answers = ['endless', 'next'].map((name) => codeOf(pool.assess(medium(name), wanted)))
    expect(await Promise.all(answers)).toEqual(['media_unprocessable', 'done'])
    expect(workers[0]?.terminated).toBe(true)
  })

  describe('the time limit is one of work', () => {
    const taskTimeoutMs = 1000

    beforeEach(() => {
      vi.useFakeTimers()
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** When a medium is refused, of a worker that gets a share of a processor. */
    async function refusedAfterMs(share: number): Promise<number> {
      const { pool, workers } = fakePool({
        taskTimeoutMs,
        startWorker(events) {
          queueMicrotask(() => events.onAnswer({ kind: 'ready', account: null }))
          return { post() {}, workedMs: () => performance.now() * share, terminate: async () => {} }
        },
      })
      expect(workers).toEqual([])
      await pool.ready()
      const startMs = performance.now()
      let endMs = 0
      void codeOf(pool.assess(medium('endless'), wanted)).then((code) => {
        if (code === 'media_unprocessable') endMs = performance.now()
      })
      for (let step = 0; step < 10_000 && endMs === 0; step++) await vi.advanceTimersByTimeAsync(10)
      return endMs - startMs
    }

    it.each([1, 0.5, 0.25, 0.1])(
      'a worker with %d of a processor has as much time as that needs',
      async (share) => {
        const ms = await refusedAfterMs(share)
        expect(ms).toBeGreaterThanOrEqual(taskTimeoutMs / share - 10)
        expect(ms).toBeLessThan(taskTimeoutMs / share + 100)
      },
    )

    it('one that waits for what never comes is replaced', async () => {
      expect(await refusedAfterMs(0)).toBeLessThan(taskTimeoutMs + 100)
    })
  })

  it('ignores late answers of a worker that was replaced', async () => {
    const { pool, workers } = fakePool({ taskTimeoutMs: 30 }, (worker, name) => {
      if (name !== 'endless') finish(worker)
    })
    expect(await codeOf(pool.assess(medium('endless'), wanted))).toBe('media_unprocessable')
    workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    workers[0]?.events.onCrash(new Error('late'))
    expect(await codeOf(pool.assess(medium('next'), wanted))).toBe('done')
    expect(pool.health().replaced).toBe(1)
  })

  it('drops a waiting medium whose caller has disconnected', async () => {
    const { pool, workers } = fakePool()
    await pool.ready()
    const first = pool.assess(medium('first'), wanted)
    const gone = new AbortController()
    const second = codeOf(pool.assess(medium('second'), wanted, gone.signal))
    gone.abort()
    expect(await second).toBe('overloaded')
    workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    await first
    expect(await codeOf(pool.assess(medium('third'), wanted, gone.signal))).toBe('overloaded')
    expect(workers[0]?.tasks).toEqual(['first'])
  })

  it('fails with engine_unavailable if no worker can be started', async () => {
    const onLost = vi.fn()
    const { pool } = fakePool({
      onLost,
      startWorker(events) {
        queueMicrotask(() => events.onCrash(new Error('no model')))
        return { post() {}, workedMs: () => 0, terminate: async () => {} }
      },
    })
    await expect(pool.ready()).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(await codeOf(pool.assess(medium('a'), wanted))).toBe('engine_unavailable')
    expect(pool.health().ready).toBe(0)
    expect(onLost).toHaveBeenCalled()
    await pool.close()
  })

  it('waits longer and longer for workers that end before their first medium', async () => {
    vi.useFakeTimers()
    const { pool, workers } = fakePool()
    const warmUpFails = async () => {
      await vi.advanceTimersByTimeAsync(0)
      workers.at(-1)?.events.onCrash(new Error('the warm-up failed'))
    }
    const startsAfter = async (ms: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(ms)
      return workers.length
    }
    await warmUpFails()
    expect(await codeOf(pool.assess(medium('a'), wanted))).toBe('engine_unavailable')
    expect(await startsAfter(400)).toBe(1)
    expect(await startsAfter(200)).toBe(2)
    await warmUpFails()
    expect(await startsAfter(800)).toBe(2)
    expect(await startsAfter(400)).toBe(3)
    const assessed = codeOf(pool.assess(medium('b'), wanted))
    finish(workers[2]!)
    expect(await assessed).toBe('done')
    // It has proved that it works: its replacement starts at once.
    await warmUpFails()
    expect(await startsAfter(10)).toBe(4)
    vi.useRealTimers()
  })

  describe('after a rest', () => {
    /** Whether each worker so far still runs. */
    const running = (workers: readonly FakeWorker[]) => workers.map(({ terminated }) => !terminated)

    /** Workers after the first ones and the additional one get ready when the test says so. */
    function slowPool(options: Partial<PoolOptions> & { workers: number }) {
      const started: FakeWorker[] = []
      const { pool } = fakePool({
        ...options,
        startWorker(events) {
          const worker: FakeWorker = { events, tasks: [], terminated: false }
          started.push(worker)
          if (started.length <= options.workers + 1)
            queueMicrotask(() => events.onAnswer({ kind: 'ready', account: null }))
          return {
            post(task) {
              worker.tasks.push(nameOf(task))
              finish(worker)
            },
            workedMs: () => performance.now(),
            async terminate() {
              worker.terminated = true
            },
          }
        },
      })
      return { pool, started }
    }

    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it.each([
      ['an archive', archive('1'), wanted],
      ['a document', medium('page'), { ...wanted, document: { page: true } }],
    ])('replaces workers that have assessed %s, and ends the additional one', async (_, large, request) => {
      const { pool, workers } = fakePool({ workers: 1 }, finish)
      await pool.ready()
      await Promise.all([pool.assess(archive('0'), wanted), pool.assess(medium('photo'), wanted)])
      await pool.assess(large, request)
      expect(running(workers)).toEqual([true, true])
      await vi.advanceTimersByTimeAsync(44_000)
      expect(running(workers)).toEqual([true, true])
      await vi.advanceTimersByTimeAsync(2000)
      expect(running(workers)).toEqual([false, false, true])
      expect(pool.health()).toMatchObject({ ready: 1, replaced: 0 })
      expect(await codeOf(pool.assess(medium('next'), wanted))).toBe('done')
      expect(workers[2]?.tasks).toEqual(['next'])
      await vi.advanceTimersByTimeAsync(200_000)
      expect(running(workers)).toEqual([false, false, true])
    })

    it('keeps workers that have only assessed small media, and starts the additional one again', async () => {
      const { pool, workers } = fakePool({ workers: 1 }, finish)
      await pool.ready()
      await pool.assess(medium('photo'), wanted)
      await vi.advanceTimersByTimeAsync(200_000)
      expect(running(workers)).toEqual([true])
      for (const expected of [3, 5]) {
        await pool.assess(archive('1'), wanted)
        await vi.advanceTimersByTimeAsync(200_000)
        expect([workers.length, running(workers).filter(Boolean).length]).toEqual([expected, 1])
      }
    })

    it('replaces one worker at a time, which serves until the next one is ready', async () => {
      const { pool, started } = slowPool({ workers: 2 })
      await pool.ready()
      await Promise.all([pool.assess(archive('1'), wanted), pool.assess(archive('2'), wanted)])
      await vi.advanceTimersByTimeAsync(46_000)
      expect(running(started)).toEqual([true, true, false, true])
      expect(pool.health().ready).toBe(2)
      await pool.assess(medium('meanwhile'), wanted)
      expect(started[0]?.tasks).toEqual(['PK\x03\x041', 'meanwhile'])
      started[3]!.events.onAnswer({ kind: 'ready', account: null })
      expect([running(started), pool.health().ready]).toEqual([[false, true, false, true], 2])
      await vi.advanceTimersByTimeAsync(5000)
      started[4]!.events.onAnswer({ kind: 'ready', account: null })
      expect(running(started)).toEqual([false, false, false, true, true])
      await pool.close()
      expect(running(started)).toEqual(Array(5).fill(false))
    })

    it('keeps a worker whose successor cannot start, and tries again after the next rest', async () => {
      const lost: unknown[] = []
      const { pool, started } = slowPool({ workers: 1, onLost: (cause) => lost.push(cause) })
      await pool.ready()
      await pool.assess(archive('1'), wanted)
      await pool.assess(archive('2'), wanted)
      await vi.advanceTimersByTimeAsync(46_000)
      started[2]!.events.onCrash(new Error('no memory'))
      expect([running(started), lost.length]).toEqual([[true, false, false], 1])
      expect(await codeOf(pool.assess(medium('photo'), wanted))).toBe('done')
      await vi.advanceTimersByTimeAsync(46_000)
      started[3]!.events.onAnswer({ kind: 'ready', account: null })
      expect(running(started)).toEqual([false, false, false, true])
    })
  })

  it('finishes accepted media before it closes, and refuses new ones', async () => {
    const { pool, workers } = fakePool()
    await pool.ready()
    const accepted = ['a', 'b'].map((name) => codeOf(pool.assess(medium(name), wanted)))
    const closed = pool.close()
    expect(await codeOf(pool.assess(medium('late'), wanted))).toBe('overloaded')
    for (let i = 0; i < 2; i++)
      workers[0]?.events.onAnswer({ kind: 'assessed', assessment: madeUpAssessment() })
    expect(await Promise.all(accepted)).toEqual(['done', 'done'])
    await closed
    expect(workers[0]?.terminated).toBe(true)
  })
})
