import { describe, expect, it, vi } from 'vitest'
import type { DeliveryAttempt, DeliveryResult } from '../../../src/events/deliver.ts'
import {
  type DueDelivery,
  type Outbox,
  OutboxRunner,
  type OutboxRunnerOptions,
  type WantedDeliveries,
} from '../../../src/events/outbox-runner.ts'

const startMs = 1_000_000
const delivered: DeliveryResult = { ok: true, status: 200 }
const failure = (status: number): DeliveryResult => ({ ok: false, status, reason: 'status_refused' })
const timedOut: DeliveryResult = { ok: false, status: null, reason: 'timed_out' }

/** A clock that the test moves. */
class FakeClock {
  nowMs = startMs
  readonly #timers = new Set<{ atMs: number; run(): void }>()

  setTimer = (run: () => void, delayMs: number) => {
    const timer = { atMs: this.nowMs + delayMs, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  get timers(): number {
    return this.#timers.size
  }

  async turn(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs
    for (;;) {
      await settle()
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs)
      if (!next || next.atMs > untilMs) break
      this.#timers.delete(next)
      this.nowMs = next.atMs
      next.run()
    }
    this.nowMs = untilMs
    await settle()
  }
}

/** Runs everything that does not wait for a timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Row extends DueDelivery {
  dueAtMs: number
  state: 'due' | 'succeeded' | 'given up'
}

/** An outbox in memory that can be made unreachable. */
class FakeOutbox implements Outbox {
  readonly rows: Row[] = []
  looks = 0
  isAway = false
  /** Set: `take` waits for it. */
  gate: Promise<void> | null = null

  add(id: string, url = `https://${id}.example.com/`, tenant = 'a'): void {
    const read = async () => ({ body: '{}', secrets: [] })
    const delivery = { id, tenant, url, read, attempt: 1, createdAtMs: 0 }
    this.rows.push({ ...delivery, dueAtMs: 0, state: 'due' })
  }

  #row(id: string): Row {
    if (this.isAway) throw new Error('secret text of a statement')
    return this.rows.find((row) => row.id === id)!
  }

  async take(nowMs: number, leaseMs: number, wanted: WantedDeliveries): Promise<DueDelivery[]> {
    this.looks++
    await this.gate
    if (this.isAway) throw new Error('secret text of a statement')
    const due = this.rows
      .filter(({ state, dueAtMs }) => state === 'due' && dueAtMs <= nowMs)
      .filter(({ tenant }) => !wanted.except.includes(tenant))
      .sort((a, b) => a.dueAtMs - b.dueAtMs)
      .filter(
        ({ tenant }, i, all) =>
          all.slice(0, i).filter((row) => row.tenant === tenant).length < wanted.perTenantMax,
      )
      .slice(0, wanted.max)
    for (const row of due) row.dueAtMs = nowMs + leaseMs
    return due.map((row) => ({ ...row }))
  }

  async recordSuccess(id: string): Promise<void> {
    this.#row(id).state = 'succeeded'
  }

  async recordFailure(...[id, attempt, , , retryAtMs]: Parameters<Outbox['recordFailure']>): Promise<void> {
    const row = this.#row(id)
    row.attempt = attempt + 1
    if (retryAtMs === null) row.state = 'given up'
    else row.dueAtMs = retryAtMs
  }

  states = () => Object.fromEntries(this.rows.map(({ id, state }) => [id, state]))
}

/** A running attempt that the test ends. */
interface Call extends DeliveryAttempt {
  atMs: number
  end(result: DeliveryResult): void
}

function setUp(options: Partial<OutboxRunnerOptions> = {}) {
  const clock = new FakeClock()
  const outbox = new FakeOutbox()
  const calls: Call[] = []
  const log = vi.fn()
  const runner = new OutboxRunner({
    outbox,
    deliver: (delivery) =>
      new Promise((end) => {
        calls.push({ ...delivery, atMs: clock.nowMs, end })
      }),
    nowMs: () => clock.nowMs,
    random: () => 0.5,
    setTimer: clock.setTimer,
    log,
    attemptMaxMs: 30_000,
    pollMs: 5000,
    pollMaxMs: 5000,
    ...options,
  })
  const events = () => log.mock.calls.map(([, event]) => event)
  return { clock, outbox, calls, log, events, runner }
}

/** Returns the given results in turn; further attempts succeed. */
function answering(...results: DeliveryResult[]) {
  const attempts: { attempt: number; atMs: number }[] = []
  const setting = setUp({
    deliver: async ({ attempt }) => {
      attempts.push({ attempt, atMs: setting.clock.nowMs - startMs })
      return results.shift() ?? delivered
    },
  })
  return { ...setting, attempts }
}

describe('the runner of the outbox', () => {
  it('the outbox runner delivers queued events at start, once', async () => {
    const { runner, outbox, clock, attempts, log } = answering()
    outbox.add('a')
    runner.start()
    await clock.turn(300_000)
    expect(attempts).toEqual([{ attempt: 1, atMs: 0 }])
    expect(outbox.states()).toEqual({ a: 'succeeded' })
    expect(log.mock.calls).toEqual([
      ['info', 'webhook delivered', { event_id: 'a', attempt: 1, status: 200, age_ms: startMs }],
    ])
  })

  it('the outbox runner delivers at once when woken by a commit', async () => {
    const { runner, outbox, clock, attempts } = answering()
    runner.start()
    await clock.turn(1000)
    outbox.add('a')
    runner.wake()
    await clock.turn(0)
    expect(attempts).toEqual([{ attempt: 1, atMs: 1000 }])
  })

  it('the outbox runner finds events of another replica by polling', async () => {
    const { runner, outbox, clock } = answering()
    runner.start()
    await clock.turn(1000)
    outbox.add('a')
    await clock.turn(5000)
    expect(outbox.states()).toEqual({ a: 'succeeded' })
  })

  it('a failed webhook is retried after 10 s and after 60 s', async () => {
    const { runner, outbox, clock, attempts } = answering(failure(500), failure(500))
    outbox.add('a')
    runner.start()
    await clock.turn(300_000)
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    const [first, second, third] = attempts.map(({ atMs }) => atMs) as [number, number, number]
    expect(second - first).toBeGreaterThanOrEqual(10_000)
    expect(second - first).toBeLessThanOrEqual(15_000)
    expect(third - second).toBeGreaterThanOrEqual(60_000)
    expect(third - second).toBeLessThanOrEqual(65_000)
    expect(outbox.states()).toEqual({ a: 'succeeded' })
  })

  it.each([
    [0, 8000, 48_000],
    [0.75, 11_000, 66_000],
  ])('retries have jitter: a random %s makes pauses of %d and %d ms', async (random, first, second) => {
    const retriesMs: (number | null)[] = []
    const { runner, outbox, clock } = setUp({ random: () => random, deliver: async () => timedOut })
    outbox.recordFailure = async (...[, , , nowMs, retryAtMs]: Parameters<Outbox['recordFailure']>) => {
      retriesMs.push(retryAtMs && retryAtMs - nowMs)
    }
    outbox.add('a')
    outbox.add('b')
    outbox.rows[1]!.attempt = 2
    runner.start()
    await clock.turn(0)
    expect(retriesMs).toEqual([first, second])
  })

  it.each([
    ['a refusing status', failure(500), 500, 'status_refused'],
    ['a redirect', { ok: false, status: 302, reason: 'redirected' } as const, 302, 'redirected'],
    ['a timeout', timedOut, null, 'timed_out'],
  ])('a webhook is given up after the third attempt of %s', async (_, result, status, reason) => {
    const { runner, outbox, clock, attempts, log } = answering(result, result, result)
    outbox.add('a', 'https://secret.example.com/')
    runner.start()
    await clock.turn(600_000)
    expect(attempts).toHaveLength(3)
    expect(outbox.states()).toEqual({ a: 'given up' })
    expect(log).toHaveBeenLastCalledWith('warn', 'webhook failed', {
      event_id: 'a',
      attempt: 3,
      status,
      reason,
      gives_up: true,
    })
    expect(JSON.stringify(log.mock.calls)).not.toContain('secret')
  })

  it('an attempt that throws counts as failed, and only the name of its error is logged', async () => {
    const deliver = () => Promise.reject(new TypeError('secret'))
    const { runner, outbox, clock, log } = setUp({ deliver })
    outbox.add('a')
    runner.start()
    await clock.turn(0)
    expect(outbox.rows[0]).toMatchObject({ state: 'due', attempt: 2 })
    expect(log.mock.calls[0]).toEqual(['error', 'webhook broke', { event_id: 'a', cause: 'TypeError' }])
    expect(JSON.stringify(log.mock.calls)).not.toContain('secret')
  })

  it('concurrent attempts per tenant are limited, and the next starts when one ends', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 20; i++) outbox.add(`e${i}`)
    runner.start()
    await clock.turn(0)
    expect(calls).toHaveLength(11)
    calls[0]?.end(delivered)
    await clock.turn(0)
    expect(calls).toHaveLength(12)
    for (let i = 0; i < 20; i++) {
      calls[i]?.end(delivered)
      await clock.turn(0)
    }
    expect(Object.values(outbox.states())).toEqual(Array(20).fill('succeeded'))
    expect(new Set(calls.map(({ id }) => id)).size).toBe(20)
  })

  it('concurrent attempts are limited to 32, shared between tenants', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 40; i++)
      for (const tenant of ['a', 'b', 'c', 'd']) outbox.add(`${tenant}${i}`, undefined, tenant)
    for (let i = 0; i < 40; i++) outbox.add(`late${i}`, undefined, `late ${i}`)
    runner.start()
    await clock.turn(0)
    expect(calls).toHaveLength(32)
    expect(new Set(calls.map(({ tenant }) => tenant)).size).toBeGreaterThan(4)
  })

  it('silent hosts of one tenant do not delay another tenant', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 1000; i++) outbox.add(`silent${i}`, `https://${i % 8}.silent.example.com/`, 'silent')
    runner.start()
    await clock.turn(3000)
    outbox.add('honest', undefined, 'honest')
    runner.wake()
    await clock.turn(0)
    expect(calls.at(-1)?.id).toBe('honest')
    expect(calls.length).toBeLessThan(16)
  })

  it('concurrent attempts per host are limited to two, and other hosts pass', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 10; i++) outbox.add(`e${i}`, `https://same.example.com:${1000 + i}/`)
    outbox.add('other')
    runner.start()
    await clock.turn(0)
    expect(calls.map(({ id }) => id)).toEqual(['e0', 'e1', 'other'])
    calls[0]?.end(delivered)
    await clock.turn(0)
    expect(calls.map(({ id }) => id)).toEqual(['e0', 'e1', 'other', 'e2'])
  })

  it('a drain sends all that is due, and leaves no timer', async () => {
    const { runner, outbox, clock, attempts } = answering()
    for (let i = 0; i < 40; i++) outbox.add(`e${i}`, 'https://same.example.com/')
    await runner.drain(() => false)
    expect([attempts.length, clock.timers]).toEqual([40, 0])
  })

  it('a drain whose time is up sends what it takes, and takes no more', async () => {
    const { runner, outbox, attempts } = answering()
    for (let i = 0; i < 3; i++) outbox.add(`e${i}`)
    await runner.drain(() => true)
    expect([attempts.length, outbox.looks]).toEqual([3, 2])
  })

  it('a long queue for one fast host is drained without waiting for a poll', async () => {
    const { runner, outbox, clock, attempts } = answering()
    for (let i = 0; i < 300; i++) outbox.add(`e${i}`, 'https://same.example.com/')
    runner.start()
    for (let i = 0; i < 20; i++) await settle()
    expect(attempts).toHaveLength(300)
    expect(clock.nowMs).toBe(startMs)
  })

  it.each([5000, 3_600_000])(
    'lets no host that hangs keep the others back, at a poll every %d ms',
    async (pollMs) => {
      const { runner, outbox, clock, calls } = setUp({ pollMs })
      for (let i = 0; i < 200; i++) outbox.add(`slow${i}`, 'https://slow.example.com/')
      outbox.add('other')
      runner.start()
      await clock.turn(25_000)
      expect(calls.map(({ id }) => id)).toEqual(['slow0', 'slow1', 'other'])
    },
  )

  it('no attempt starts whose lease may end before it', async () => {
    const { runner, outbox, clock, calls } = setUp({ pollMs: 1_000_000 })
    for (let i = 0; i < 3; i++) outbox.add(`e${i}`, 'https://same.example.com/')
    runner.start()
    await clock.turn(30_000)
    calls[0]?.end(timedOut)
    await clock.turn(0)
    expect(calls.map(({ id }) => id)).toEqual(['e0', 'e1'])
  })

  it('the outbox runner takes over the events of a dead replica', async () => {
    const { runner, outbox, clock, attempts } = answering()
    outbox.add('a')
    await outbox.take(clock.nowMs, 20_000, { max: 1, perTenantMax: 1, except: [] })
    runner.start()
    await clock.turn(15_000)
    expect(attempts).toEqual([])
    await clock.turn(10_000)
    expect(attempts).toEqual([{ attempt: 1, atMs: 20_000 }])
  })

  it('waking during a poll leads to one more poll, not one per call', async () => {
    const { runner, outbox, clock, attempts } = answering()
    let open = () => {}
    outbox.gate = new Promise((resolve) => {
      open = resolve
    })
    runner.start()
    await clock.turn(0)
    for (let i = 0; i < 10; i++) runner.wake()
    outbox.gate = null
    open()
    outbox.add('a')
    await clock.turn(0)
    expect(outbox.looks).toBe(2)
    expect(attempts).toHaveLength(1)
    expect(clock.timers).toBe(1)
  })

  it('events announced while all slots were taken are delivered afterwards', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 10; i++) outbox.add(`e${i}`)
    runner.start()
    await clock.turn(0)
    outbox.add('e10')
    runner.wake()
    await clock.turn(0)
    outbox.add('late')
    runner.wake()
    await clock.turn(0)
    expect(calls).toHaveLength(11)
    calls[0]?.end(delivered)
    await clock.turn(0)
    expect(calls.at(-1)?.id).toBe('late')
  })

  it('stopping waits for running attempts and starts no others', async () => {
    const { runner, outbox, clock, calls } = setUp()
    for (let i = 0; i < 3; i++) outbox.add(`e${i}`, 'https://same.example.com/')
    runner.start()
    await clock.turn(0)
    let isStopped = false
    const stopped = runner.stop().then(() => {
      isStopped = true
    })
    calls[0]?.end(delivered)
    runner.wake()
    await clock.turn(60_000)
    expect(isStopped).toBe(false)
    calls[1]?.end(failure(500))
    await stopped
    expect(calls).toHaveLength(2)
    expect(outbox.states()).toEqual({ e0: 'succeeded', e1: 'due', e2: 'due' })
    expect(outbox.rows[1]).toMatchObject({ attempt: 2 })
    expect(clock.timers).toBe(0)
  })

  it('events taken while the runner stops are not sent', async () => {
    const { runner, outbox, clock, calls } = setUp()
    outbox.add('a')
    let open = () => {}
    outbox.gate = new Promise((resolve) => {
      open = resolve
    })
    runner.start()
    const stopped = runner.stop()
    open()
    await stopped
    await clock.turn(60_000)
    expect(calls).toEqual([])
    expect(clock.timers).toBe(0)
  })

  it('the runner recovers from an unreachable outbox, and logs it once', async () => {
    const { runner, outbox, clock, events, log, attempts } = answering()
    outbox.isAway = true
    outbox.add('a')
    runner.start()
    await clock.turn(120_000)
    expect(outbox.looks).toBeGreaterThan(5)
    expect(outbox.looks).toBeLessThan(12)
    const looks = outbox.looks
    for (let i = 0; i < 10; i++) runner.wake()
    await clock.turn(0)
    expect(outbox.looks).toBe(looks)
    outbox.isAway = false
    await clock.turn(30_000)
    expect(attempts).toHaveLength(1)
    expect(events()).toEqual(['outbox failed', 'outbox is back', 'webhook delivered'])
    expect(JSON.stringify(log.mock.calls)).not.toContain('secret')
  })

  it('a delivery whose outcome cannot be stored is sent again as the same attempt', async () => {
    const { runner, outbox, clock, calls, events } = setUp()
    for (let i = 0; i < 8; i++) outbox.add(`e${i}`)
    runner.start()
    await clock.turn(0)
    outbox.isAway = true
    for (const call of calls) call.end(delivered)
    await clock.turn(0)
    expect(events().filter((event) => event === 'outbox failed')).toHaveLength(1)
    outbox.isAway = false
    const { looks } = outbox
    await clock.turn(1000)
    expect(outbox.looks).toBe(looks + 1)
    await clock.turn(60_000)
    expect(
      calls
        .map(({ id, attempt }) => `${id}:${attempt}`)
        .slice(8)
        .sort(),
    ).toEqual(Array.from({ length: 8 }, (_, i) => `e${i}:1`))
  })
})
