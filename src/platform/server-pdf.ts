/** Writes PDF reports in a worker thread, which exists while reports are made: subsets of fonts take tens of milliseconds. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { Mutex } from '../queue/mutex.ts'
import { withTimeout } from '../queue/timers.ts'
import type { WritePdf } from '../reports/pdf/render-pdf.ts'
import type { Report } from '../reports/report.ts'
import { packMessage, unpackMessage } from './packed-message.ts'
import type { PdfAnswer } from './pdf-worker.ts'

/** The longest report that HTML allows takes a tenth of it. */
const longestMs = 60_000
/** The worker ends after this time without a report, and frees its memory. */
const idleMs = 60_000

/** The file of the worker: its source if the runtime reads TypeScript, else its bundle next to this one. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './pdf-worker.ts' : './pdf-worker.mjs',
  import.meta.url,
)

/** The report that is being written. */
interface Pending {
  resolve(answer: PdfAnswer): void
  reject(error: unknown): void
}

/** The part of a worker that is used. */
export type PdfThread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>

/** A thread with its own report: what it says after it was ended concerns no other one. */
interface Running {
  thread: PdfThread
  pending: Pending | null
}

class PdfWriter {
  readonly #startWorker: () => PdfThread
  readonly #writeMaxMs: number
  #running: Running | null = null
  #idle: ReturnType<typeof setTimeout> | undefined
  readonly #turns = new Mutex()

  constructor(startWorker: () => PdfThread, writeMaxMs: number) {
    this.#startWorker = startWorker
    this.#writeMaxMs = writeMaxMs
  }

  readonly write: WritePdf = (report) => this.#turns.run(() => this.#write(report))

  async #write(report: Report): Promise<Uint8Array> {
    clearTimeout(this.#idle)
    try {
      const answer = await withTimeout(this.#ask(report), this.#writeMaxMs, () => {
        this.#end()
        throw new AppError('not_allowed', 'The report takes too long to write')
      })
      if ('failure' in answer) throw new Error(answer.failure)
      return answer.bytes
    } finally {
      if (this.#running) this.#running.pending = null
      this.#idle = setTimeout(() => this.#end(), idleMs)
    }
  }

  #ask(report: Report): Promise<PdfAnswer> {
    return new Promise((resolve, reject) => {
      this.#running ??= this.#start()
      this.#running.pending = { resolve, reject }
      this.#running.thread.postMessage(packMessage(report))
    })
  }

  #start(): Running {
    const thread = this.#startWorker()
    const running: Running = { thread, pending: null }
    const onCrash = (error: unknown) => {
      if (this.#running === running) this.#running = null
      running.pending?.reject(error)
    }
    thread.on('message', (answer: unknown) => running.pending?.resolve(unpackMessage<PdfAnswer>(answer)))
    thread.on('error', onCrash)
    thread.on('exit', (code) => onCrash(new Error(`the thread for PDF ended with code ${code}`)))
    return running
  }

  #end(): void {
    const running = this.#running
    this.#running = null
    void running?.thread.terminate()
  }
}

export const openPdfWriter = (
  startWorker: () => PdfThread = () => new Worker(workerFile),
  writeMaxMs = longestMs,
): WritePdf => new PdfWriter(startWorker, writeMaxMs).write
