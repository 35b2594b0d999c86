import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { PdfAnswer } from '../../../src/platform/pdf-worker.ts'
import { openPdfWriter, type PdfThread } from '../../../src/platform/server-pdf.ts'
import type { Report } from '../../../src/reports/report.ts'

const report = {} as Report
const bytes = Uint8Array.of(1)

/** Threads that do with their reports what the test says. */
function fakeThreads(behave: (thread: EventEmitter, turn: number) => void) {
  const seen = { started: 0, ended: 0, reports: 0 }
  const start = (): PdfThread => {
    seen.started++
    const thread = Object.assign(new EventEmitter(), {
      postMessage: () => queueMicrotask(() => behave(thread, ++seen.reports)),
      terminate: async () => ++seen.ended,
    })
    return thread as unknown as PdfThread
  }
  return { seen, start }
}

const answer = (thread: EventEmitter, given: PdfAnswer) => thread.emit('message', given)

describe('the writer of PDF reports', () => {
  it('writes one report after another in one thread', async () => {
    let running = 0
    const { seen, start } = fakeThreads((thread) => {
      expect(++running).toBe(1)
      setTimeout(() => {
        running--
        answer(thread, { bytes })
      }, 5)
    })
    const write = openPdfWriter(start)
    expect(seen.started).toBe(0)
    expect(await Promise.all([write(report), write(report), write(report)])).toEqual([bytes, bytes, bytes])
    expect(seen).toEqual({ started: 1, ended: 0, reports: 3 })
  })

  it('rejects a report that cannot be written, and keeps the thread', async () => {
    const { seen, start } = fakeThreads((thread, turn) =>
      answer(thread, turn === 1 ? { failure: 'why' } : { bytes }),
    )
    const write = openPdfWriter(start)
    await expect(write(report)).rejects.toThrow('why')
    expect(await write(report)).toEqual(bytes)
    expect(seen.started).toBe(1)
  })

  it('starts another thread after a crash, also after one between reports', async () => {
    let last: EventEmitter | undefined
    const { seen, start } = fakeThreads((thread, turn) => {
      last = thread
      if (turn === 1) {
        thread.emit('error', new Error('out of memory'))
        thread.emit('exit', 1)
      } else answer(thread, { bytes })
    })
    const write = openPdfWriter(start)
    await expect(write(report)).rejects.toThrow('out of memory')
    expect(await write(report)).toEqual(bytes)
    last!.emit('exit', 1)
    expect(await write(report)).toEqual(bytes)
    expect(seen.started).toBe(3)
  })

  it('ends a thread that takes too long', async () => {
    const { seen, start } = fakeThreads((thread, turn) => {
      if (turn > 1) answer(thread, { bytes })
    })
    const write = openPdfWriter(start, 20)
    await expect(write(report)).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await write(report)).toEqual(bytes)
    expect([seen.started, seen.ended]).toEqual([2, 1])
  })

  it('gives no report what a thread that was ended answers late', async () => {
    const threads: EventEmitter[] = []
    const { seen, start } = fakeThreads((thread, turn) => {
      threads.push(thread)
      if (turn === 1) return
      answer(threads[0]!, { bytes: Uint8Array.of(2) })
      answer(thread, { bytes })
    })
    const write = openPdfWriter(start, 20)
    const [late, next] = await Promise.allSettled([write(report), write(report)])
    expect(late.status).toBe('rejected')
    expect(next).toEqual({ status: 'fulfilled', value: bytes })
    expect([seen.started, seen.ended]).toEqual([2, 1])
  })
})
