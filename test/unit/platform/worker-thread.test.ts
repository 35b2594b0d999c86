import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { idleCollector } from '../../../src/platform/idle-collector.ts'
import { startThread, startWorker, type WorkerThread } from '../../../src/platform/worker-thread.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'threads-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function thread(name: string, code: string): Promise<WorkerThread> {
  const file = path.join(folder, `${name}.mjs`)
  await writeFile(file, code)
  return startThread(pathToFileURL(file))
}

const events = { onAnswer() {}, onCrash() {} }

describe('threads that are started before their start data are known', () => {
  it.each([
    ['throws', "throw new Error('no such file')", 'no such file'],
    ['ends', 'process.exit(3)', 'the worker ended with code 3'],
  ])('one that %s while it loads is not given work', async (name, code, message) => {
    const early = await thread(name, code)
    await vi.waitFor(() => expect(early.failure?.message).toBe(message), { timeout: 5000 })
    expect(() => startWorker(early, {}, events)).toThrow(message)
  })

  it('one that loads gets the data that were sent meanwhile, and answers', async () => {
    const echo =
      "import { parentPort } from 'node:worker_threads'\nparentPort.on('message', (m) => parentPort.postMessage(m))"
    const onAnswer = vi.fn()
    const handle = startWorker(
      await thread('echoes', echo),
      { kind: 'ready', account: null },
      { ...events, onAnswer },
    )
    await vi.waitFor(() => expect(onAnswer).toHaveBeenCalledWith({ kind: 'ready', account: null }), {
      timeout: 5000,
    })
    await handle.terminate()
  })

  it.each([
    [
      'answers',
      "parentPort.on('message', ({ wanted }) => wanted && parentPort.postMessage({ kind: 'assessed' }))",
    ],
    ['ends', "parentPort.on('message', ({ wanted }) => wanted && process.exit(3))"],
  ])('one that %s has no work any more, so garbage may be collected', async (name, code) => {
    const [begin, end] = [vi.spyOn(idleCollector(), 'begin'), vi.spyOn(idleCollector(), 'end')]
    const source = `import { parentPort } from 'node:worker_threads'\n${code}`
    const handle = startWorker(await thread(`${name} to work`, source), {}, events)
    handle.post({
      medium: openMedium(new Uint8Array(4)),
      wanted: { faces: true, template: false, pad: false, bestShot: false } as AssessmentRequest,
    })
    expect([begin.mock.calls.length, end.mock.calls.length]).toEqual([1, 0])
    await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1), { timeout: 5000 })
    await handle.terminate()
    expect(end).toHaveBeenCalledTimes(1)
    vi.restoreAllMocks()
  })
})
