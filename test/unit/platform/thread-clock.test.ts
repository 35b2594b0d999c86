/** On a busy machine a clip takes longer, and costs no more. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { openClip } from '../../../src/assess/open-clip.ts'
import { threadAccount, threadClock } from '../../../src/platform/thread-clock.ts'
import { clip, hasFfmpeg } from '../../fixtures/clips.ts'
import { collect, openClip as opened, testDecoders, testLimits } from '../../fixtures/video-decoders.ts'

const account = threadAccount()

/** Runs work while each processor has four other threads to run. */
async function onBusyMachine<T>(work: () => Promise<T>): Promise<T> {
  const others = Array.from(
    { length: 4 * availableParallelism() },
    () => new Worker('for (;;);', { eval: true }),
  )
  try {
    await Promise.all(others.map((other) => new Promise((resolve) => other.once('online', resolve))))
    return await work()
  } finally {
    await Promise.all(others.map((other) => other.terminate()))
  }
}

describe.skipIf(account === null)('the clock of a thread', () => {
  it('counts what the thread computes, not what it waits', async () => {
    const workedMs = threadClock(account)
    const [startMs, workedBeforeMs] = [performance.now(), workedMs()]
    await new Promise((resolve) => setTimeout(resolve, 300))
    const waitedMs = workedMs() - workedBeforeMs
    expect(waitedMs).toBeLessThan((performance.now() - startMs) / 2)
    while (workedMs() - workedBeforeMs < waitedMs + 100);
    expect(performance.now() - startMs).toBeGreaterThan(390)
  })

  it('is readable by another thread, and stands still when the thread has ended', async () => {
    const code = `const { parentPort } = require('node:worker_threads')
      parentPort.postMessage(require('node:fs').readlinkSync('/proc/thread-self'))
      for (;;);`
    const worker = new Worker(code, { eval: true })
    const self = await new Promise((resolve) => worker.once('message', resolve))
    const workedMs = threadClock(`/proc/${self}/schedstat`)
    while (workedMs() < 200) await new Promise((resolve) => setTimeout(resolve, 20))
    await worker.terminate()
    const lastMs = workedMs()
    expect(lastMs).toBeGreaterThanOrEqual(200)
    expect(workedMs()).toBe(lastMs)
  })

  it('without an account is a clock of time', async () => {
    const workedMs = threadClock(null)
    const startMs = workedMs()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(workedMs() - startMs).toBeGreaterThanOrEqual(49)
  })
})

describe.skipIf(account === null || !hasFfmpeg).each(testDecoders)(
  'clips on a busy machine, decoder %s',
  (_, decoder) => {
    async function decode(timeMaxMs: number, workedMs = threadClock(account)): Promise<void> {
      const video = await openClip(
        { decoder: decoder!, videoLimits: { ...testLimits, timeMaxMs }, workedMs },
        opened(await clip('h264 mp4')),
      ).then((found) => found.video)
      try {
        await collect(video.frames({ timesS: null, sideMax: 640 }))
      } finally {
        video.close()
      }
    }

    it.skipIf(decoder === null)('the limit is of the clock that is given', async () => {
      await expect(decode(testLimits.timeMaxMs, () => 1000 * performance.now())).rejects.toMatchObject({
        details: { reason: 'too_costly' },
      })
    })

    // More processors would need more threads than a test should start. Where others take time from the thread, the clip takes
    // five times what it costs; a scheduler may be kinder to one that has just begun.
    it.skipIf(decoder === null || availableParallelism() > 8)(
      'others take time from a clip, but not of its limit',
      async () => {
        await decode(testLimits.timeMaxMs)
        const workedMs = threadClock(account)
        const startMs = workedMs()
        await decode(testLimits.timeMaxMs)
        const costMs = workedMs() - startMs
        await onBusyMachine(() => decode(3 * costMs))
      },
    )
  },
)
