/** Threads that assess media. They may be started before the data they need are there. */
import { Worker } from 'node:worker_threads'
import type { WorkerAnswer, WorkerEvents, WorkerHandle, WorkerTask } from '../assess/pool.ts'
import { copyInPieces } from '../media/media-memory.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import { idleCollector } from './idle-collector.ts'
import { packMessage, unpackMessage } from './packed-message.ts'
import { threadClock } from './thread-clock.ts'

/** A thread that loads its code. */
export interface WorkerThread {
  worker: Worker
  /** Why it ended, `null` while it runs. */
  failure: Error | null
}

/**
 * Space for new objects, in MB. By default it grows to 48: a thread that assesses media makes many short-lived arrays, whose
 * contents lie outside, so the larger space would hold nothing but garbage. Other runtimes than Node do not know this option.
 */
const limits =
  'Bun' in globalThis || 'Deno' in globalThis ? {} : { resourceLimits: { maxYoungGenerationSizeMb: 12 } }

/** Starts a thread that loads its code and waits for its start data. Until then it does not keep the process alive. */
export function startThread(file: URL): WorkerThread {
  const worker = new Worker(file, limits)
  worker.unref()
  const thread: WorkerThread = { worker, failure: null }
  worker.once('error', (error) => {
    thread.failure ??= error instanceof Error ? error : new Error(String(error))
  })
  worker.once('exit', (code) => {
    thread.failure ??= new Error(`the worker ended with code ${code}`)
  })
  return thread
}

/**
 * Gives a thread its start data, and the pool its events.
 * @param start is cloned into the thread
 * @throws {Error} why the thread has ended already
 */
export function startWorker(
  { worker, failure }: WorkerThread,
  start: unknown,
  events: WorkerEvents,
): WorkerHandle {
  if (failure) throw failure
  worker.ref()
  const collector = idleCollector()
  // Media of analyses in the background come without a request.
  let isWorking = false
  const rest = () => {
    if (isWorking) collector.end()
    isWorking = false
  }
  let workedMs = threadClock(null)
  worker.on('message', (message: unknown) => {
    rest()
    const answer = unpackMessage<WorkerAnswer>(message)
    if (answer.kind === 'ready') workedMs = threadClock(answer.account)
    events.onAnswer(answer)
  })
  worker.on('messageerror', events.onCrash)
  worker.on('error', events.onCrash)
  worker.on('exit', (code) => {
    rest()
    events.onCrash(new Error(`the worker ended with code ${code}`))
  })
  worker.postMessage(packMessage(start))
  return {
    post: ({ medium, wanted }) => {
      if (!isWorking) collector.begin()
      isWorking = true
      // Transferring a view would transfer its whole buffer.
      copyInPieces(medium.bytes, loopTurns())
        .then((bytes) => {
          const task: WorkerTask = { medium: { ...medium, bytes }, wanted }
          worker.postMessage(packMessage(task), [bytes.buffer])
        })
        .catch(events.onCrash)
    },
    workedMs: () => workedMs(),
    terminate: () => worker.terminate(),
  }
}
