/**
 * Background work on Workers. A request must not wait for the input and output of another one, and ends soon after its
 * answer, so there is no runner that outlives requests: each invocation runs what is due, and calls nobody else's runner.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../errors.ts'

/** A request, a batch of a queue or a tick of the clock. */
export interface Invocation {
  /** Keeps the invocation alive until the work has ended, within the limits of the platform. */
  waitUntil(work: Promise<unknown>): void
}

/** The part of a queue binding that is used. */
export interface Queue {
  send(message: unknown): Promise<unknown>
}

/** Runs the background work that is due. Never rejects. */
type Drain = (isTimeUp: () => boolean) => Promise<void>

/** A request ends 30 s after its answer; what has begun needs some of them. */
const afterAnswerMs = 15_000

/** An invocation with the state of its own drain. */
interface Current extends Invocation {
  isDraining: boolean
  isAsked: boolean
}

export class WorkersBackground {
  readonly #queue: Queue | null
  readonly #nowMs: () => number
  readonly #current = new AsyncLocalStorage<Current>()
  #drain: Drain = async () => {}

  /** @param queue whose consumer drains; without one, the invocation that asks does */
  constructor(queue: Queue | null, nowMs: () => number) {
    this.#queue = queue
    this.#nowMs = nowMs
  }

  /** Sets what runs the work, once the services are open. */
  use(drain: Drain): void {
    this.#drain = drain
  }

  /** Runs a handler as an invocation. */
  enter<T>({ waitUntil }: Invocation, handle: () => Promise<T>): Promise<T> {
    return this.#current.run({ waitUntil, isDraining: false, isAsked: false }, handle)
  }

  /** Lets work go on after the answer. */
  readonly defer = (work: Promise<unknown>): void => this.#current.getStore()?.waitUntil(work)

  /** Asks for a drain soon, by the queue or after the answer. What fails here is found by the next tick of the clock. */
  readonly runSoon = (): void => {
    const current = this.#current.getStore()
    if (!current) return
    if (!this.#queue) {
      current.isAsked = true
      if (!current.isDraining) current.waitUntil(this.#drainAfterAnswer(current))
    } else if (!current.isAsked) {
      current.isAsked = true
      current.waitUntil(this.#queue.send('run').catch(() => {}))
    }
  }

  /** Drains for some time, within the invocation. What is left then is asked for by a message. */
  async drainFor(maxMs: number): Promise<void> {
    const endMs = this.#nowMs() + maxMs
    const isTimeUp = () => this.#nowMs() >= endMs
    await this.#drain(isTimeUp)
    if (isTimeUp()) await this.#queue?.send('run').catch(() => {})
  }

  async #drainAfterAnswer(current: Current): Promise<void> {
    current.isDraining = true
    // Work may be added while the last of it ends.
    while (current.isAsked) {
      current.isAsked = false
      await this.drainFor(afterAnswerMs)
    }
    current.isDraining = false
  }
}

/** @throws {AppError} `value_invalid`: an isolate has no terminal and no files */
export const refuseDelivery = async (): Promise<never> => {
  throw new AppError(
    'value_invalid',
    'Settings: the first start on Workers needs SVC_ADMIN_PASSWORD, as a secret',
  )
}
