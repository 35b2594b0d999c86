/** Sends the queued webhooks, with limits per tenant and host, and with growing pauses between attempts. */
import { BackgroundLoop, type SetTimer } from '../background/background-loop.ts'
import type { Deliver, DeliveryAttempt, DeliveryFailure, DeliveryResult } from './deliver.ts'
import { FairSlots } from './fair-slots.ts'

export interface DueDelivery extends Omit<DeliveryAttempt, keyof Message> {
  createdAtMs: number
  /** Reads what is sent, as it is now; `null` if there is nothing to send any more. Each delivery by itself: one that fails stops no other. */
  read(): Promise<Message | null>
}

/** What a delivery sends, and the secrets that sign it. */
export interface Message extends Pick<DeliveryAttempt, 'body' | 'secrets'> {
  /** Whether the first attempt counts as failed though it was received, so that there is a second one. */
  repeats?: boolean
}

/** Which due deliveries to take. */
export interface WantedDeliveries {
  max: number
  perTenantMax: number
  /** Tenants to skip. */
  except: readonly string[]
}

/** The queue of webhooks. Events are queued in the transaction that stores the result they announce. */
export interface Outbox {
  /**
   * Takes due deliveries, the longest due first. No other replica sends them until `leaseMs` is over. A delivery without
   * `recordSuccess` or `recordFailure` by then is due again, as the same attempt.
   */
  take(nowMs: number, leaseMs: number, wanted: WantedDeliveries): Promise<DueDelivery[]>
  recordSuccess(id: string, attempt: number, status: number, nowMs: number): Promise<void>
  /** @param retryAtMs when the next attempt is due; `null` if this was the last one */
  recordFailure(
    id: string,
    attempt: number,
    failure: { status: number | null; reason: DeliveryFailure },
    nowMs: number,
    retryAtMs: number | null,
  ): Promise<void>
}

export interface OutboxRunnerOptions {
  outbox: Outbox
  deliver: Deliver
  nowMs(): number
  /** A number from 0 up to 1. */
  random(): number
  setTimer?: SetTimer
  log(
    level: 'info' | 'warn' | 'error',
    event: string,
    fields: Record<string, string | number | boolean | null>,
  ): void
  /** Upper limit in milliseconds for an attempt, host resolution included. It determines the lease of deliveries. */
  attemptMaxMs: number
  /** Milliseconds between two polls of the outbox. */
  pollMs: number
  /** The same after many polls in vain. Retries may be late by this time. */
  pollMaxMs: number
}

const attemptsMax = 3
/** Pauses after the first and the second attempt, each ± 20 %. */
const pausesMs = [10_000, 60_000]
const parallelMax = 32
const parallelPerHostMax = 2
/** Number of leased deliveries that wait in memory for their host or tenant. */
const heldMax = 192
/** Deliveries of one tenant per poll. */
const perTenantMax = 16
/** Deliveries that wait longer are dropped until their lease ends, so that a slow host does not block others. */
const heldMaxMs = 5000
/** Time for the outbox to store the outcome before the lease ends. */
const leaseSpareMs = 15_000
const outboxPauseMs = 1000
const outboxPauseMaxMs = 30_000

interface Held {
  delivery: DueDelivery
  host: string
  takenAtMs: number
}

const parseHost = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/** Name and code of an error. Messages are left out, since those of databases may contain stored values. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error ? `${error.name} ${error.code}` : error.name
}

/**
 * Delivers the events of the outbox at least once: if the outcome of a delivery cannot be stored, it is sent again with
 * the same event id. Several replicas may share one outbox.
 */
export class OutboxRunner {
  readonly #options: OutboxRunnerOptions
  readonly #held: Held[] = []
  readonly #slots = new FairSlots(parallelMax)
  /** Running attempts, by event id. */
  readonly #underWay = new Map<string, { host: string; done: Promise<void> }>()
  readonly #polling: BackgroundLoop
  /** Whether the last poll found deliveries, skipped tenants, or had no capacity. */
  #mayHoldMore = false
  #outboxFailures = 0

  constructor(options: OutboxRunnerOptions) {
    this.#options = options
    const { pollMs, pollMaxMs, setTimer } = options
    this.#polling = new BackgroundLoop({
      run: (signal) => this.#poll(signal),
      onError: (error) => this.#handleOutboxFailure(error),
      failurePauseMs: () => this.#failurePauseMs(),
      pauseMs: pollMs,
      pauseMaxMs: pollMaxMs,
      ...(setTimer ? { setTimer } : {}),
    })
  }

  start(): void {
    this.#polling.start()
  }

  /** Polls now; call it after a commit that queued events. While the outbox fails, the next regular retry is awaited. */
  wake(): void {
    if (this.#outboxFailures === 0) this.#polling.wake()
  }

  /** Takes no new deliveries, and resolves once the running attempts have ended and are recorded. */
  async stop(): Promise<void> {
    await this.#polling.stop()
    await Promise.all([...this.#underWay.values()].map(({ done }) => done))
  }

  /**
   * Sends what is due until nothing is or `isTimeUp`, for runtimes whose background work belongs to one call. One round is made in
   * any case: otherwise webhooks would never be sent while other work takes all the time.
   */
  async drain(isTimeUp: () => boolean): Promise<void> {
    this.start()
    do {
      await this.#polling.settled()
      await Promise.all([...this.#underWay.values()].map(({ done }) => done))
    } while (!isTimeUp() && (this.#polling.isRunning || this.#underWay.size > 0))
    await this.stop()
  }

  async #poll(signal: AbortSignal): Promise<number | undefined> {
    await this.#takeDue(signal)
    const mayBeSoon = this.#held.length > 0 || this.#mayHoldMore
    return mayBeSoon ? Math.min(this.#options.pollMs, heldMaxMs) : undefined
  }

  async #takeDue(signal: AbortSignal): Promise<void> {
    const { outbox, nowMs } = this.#options
    this.#dropLate()
    const max = Math.min(this.#slots.free, heldMax - this.#held.length)
    this.#mayHoldMore = max <= 0
    if (this.#mayHoldMore) return
    const except = this.#busyTenants()
    const takenAtMs = nowMs()
    const taken = await outbox.take(takenAtMs, this.#leaseMs(), { max, perTenantMax, except })
    this.#handleOutboxBack()
    if (signal.aborted) return
    const news = taken.filter(({ id }) => !this.#knows(id))
    this.#held.push(...news.map((delivery) => ({ delivery, host: parseHost(delivery.url), takenAtMs })))
    this.#mayHoldMore = news.length > 0 || except.length > 0
    if (news.length > 0) this.#polling.wake()
    this.#startHeld()
  }

  /** Tenants without a free slot now, or that hold half of the remaining capacity for waiting deliveries. */
  #busyTenants(): string[] {
    const held = this.#held.map(({ delivery }) => delivery.tenant)
    const heldOf = (tenant: string) => held.filter((other) => other === tenant).length
    const isBusy = (tenant: string) =>
      !this.#slots.isOpenTo(tenant) || heldOf(tenant) >= (heldMax - held.length) / 2
    return [...new Set([...held, ...this.#slots.tenants()])].filter(isBusy)
  }

  #leaseMs(): number {
    return heldMaxMs + this.#options.attemptMaxMs + leaseSpareMs
  }

  #knows(id: string): boolean {
    return this.#underWay.has(id) || this.#held.some(({ delivery }) => delivery.id === id)
  }

  #dropLate(): void {
    const oldestMs = this.#options.nowMs() - heldMaxMs
    const stillTimely = this.#held.filter(({ takenAtMs }) => takenAtMs > oldestMs)
    this.#held.splice(0, this.#held.length, ...stillTimely)
  }

  #isBusy(host: string): boolean {
    const attempts = [...this.#underWay.values()].filter((attempt) => attempt.host === host)
    return attempts.length >= parallelPerHostMax
  }

  #startHeld(): void {
    this.#dropLate()
    for (const held of [...this.#held]) {
      if (!this.#slots.isOpenTo(held.delivery.tenant) || this.#isBusy(held.host)) continue
      this.#held.splice(this.#held.indexOf(held), 1)
      this.#begin(held)
    }
  }

  #begin({ delivery, host }: Held): void {
    this.#slots.take(delivery.tenant)
    const done = this.#attempt(delivery).then(() => {
      this.#slots.release(delivery.tenant)
      this.#underWay.delete(delivery.id)
      if (!this.#polling.isStarted) return
      this.#startHeld()
      if (this.#mayHoldMore) this.wake()
    })
    this.#underWay.set(delivery.id, { host, done })
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const result = await this.#deliver(delivery)
    try {
      await this.#record(delivery, result)
    } catch (error) {
      // When many writes fail together, one report is enough.
      if (this.#outboxFailures > 0) return
      this.#handleOutboxFailure(error)
      this.#polling.postpone(this.#failurePauseMs())
    }
  }

  async #deliver({ read, ...delivery }: DueDelivery): Promise<DeliveryResult | null> {
    try {
      const message = await read()
      if (!message) return null
      const { repeats = false, ...sent } = message
      const result = await this.#options.deliver({ ...delivery, ...sent })
      const { status } = result
      return repeats && delivery.attempt === 1 ? { ok: false, status, reason: 'sandbox' } : result
    } catch (error) {
      this.#options.log('error', 'webhook broke', { event_id: delivery.id, cause: describeError(error) })
      return { ok: false, status: null, reason: 'internal' }
    }
  }

  async #record({ id, attempt, createdAtMs }: DueDelivery, result: DeliveryResult | null): Promise<void> {
    const { outbox, log } = this.#options
    const nowMs = this.#options.nowMs()
    if (!result) return outbox.recordFailure(id, attempt, { status: null, reason: 'internal' }, nowMs, null)
    if (result.ok) {
      const { status } = result
      log('info', 'webhook delivered', { event_id: id, attempt, status, age_ms: nowMs - createdAtMs })
      await outbox.recordSuccess(id, attempt, status, nowMs)
      return
    }
    const { status, reason } = result
    const retryAtMs = this.#retryAtMs(attempt, nowMs)
    log('warn', 'webhook failed', { event_id: id, attempt, status, reason, gives_up: retryAtMs === null })
    await outbox.recordFailure(id, attempt, { status, reason }, nowMs, retryAtMs)
  }

  #retryAtMs(attempt: number, nowMs: number): number | null {
    const pauseMs = attempt < attemptsMax ? pausesMs[attempt - 1] : undefined
    return pauseMs === undefined ? null : nowMs + this.#addJitter(pauseMs)
  }

  #addJitter(pauseMs: number): number {
    return Math.round(pauseMs * (0.8 + 0.4 * this.#options.random()))
  }

  #handleOutboxBack(): void {
    if (this.#outboxFailures > 0) this.#options.log('info', 'outbox is back', {})
    this.#outboxFailures = 0
  }

  #handleOutboxFailure(error: unknown): void {
    if (this.#outboxFailures === 0)
      this.#options.log('error', 'outbox failed', { cause: describeError(error) })
    this.#outboxFailures++
  }

  #failurePauseMs(): number {
    const pauseMs = outboxPauseMs * 2 ** (this.#outboxFailures - 1)
    return this.#addJitter(Math.min(outboxPauseMaxMs, pauseMs))
  }
}
