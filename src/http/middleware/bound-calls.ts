/** Limits the number of concurrent calls, and the memory of their bodies. */
import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError, hasCode } from '../../errors.ts'
import { ConcurrencyLimit } from '../../identity/concurrency-limit.ts'
import { anonymousCaller } from '../../queue/caller.ts'
import { pause } from '../../queue/timers.ts'
import { bodyMegabytes, bodyTimeMaxMs, connectionsPerAddress, restBytesMax } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { discardRest, type IncomingBody } from '../body.ts'
import { type BodyClaim, BodyMemoryBudget } from '../body-memory-budget.ts'
import { BodyPace } from '../body-pace.ts'
import { CallsInFlight } from '../calls-in-flight.ts'
import { clientKey, identifyCaller } from '../client-address.ts'

/** Longer than a call takes once its body is read. */
const answerMaxMs = 600_000

/**
 * A call that is refused because the server is busy is answered this much later, a random time. Otherwise callers who ask again at once
 * take the time of those who wait: refusing takes about as much of the main thread as serving.
 */
const refusalDelayMs = { min: 250, max: 750 } as const
/** Slower senders use up their time. */
const bytesPerSecondMin = 8000
/** Share of the calls of one address that may wait for their refusal; further ones are answered at once. */
const delayedShare = 0.75
const drawRefusalDelayMs = (): number =>
  refusalDelayMs.min + Math.random() * (refusalDelayMs.max - refusalDelayMs.min)

/**
 * Workers end a request some time after its caller has left, without its `finally`: what it held would be held for ever. Elsewhere
 * nothing is lost.
 */
function openCallsInFlight({ platform }: Deps): CallsInFlight {
  const isLossy = platform.runtime === 'workers'
  const heldMaxMs = isLossy ? bodyTimeMaxMs + answerMaxMs : Number.POSITIVE_INFINITY
  return new CallsInFlight(heldMaxMs, platform.monotonicMs)
}

/**
 * Drops the rest of refused bodies. Their calls have ended and hold no memory, so they are counted by themselves; beyond the limits of
 * calls, and beyond `restBytesMax`, the connection is closed.
 */
function openDropping({ settings }: Deps): (incoming: IncomingBody, address: string) => Promise<void> {
  const dropping = new ConcurrencyLimit(settings.connectionsMax, connectionsPerAddress(settings))
  return async (incoming, address) => {
    const isCounted = dropping.enter(address)
    await discardRest(incoming, isCounted ? restBytesMax(settings) : 0)
    if (isCounted) dropping.leave(address)
  }
}

/** Whether the connection is closed with the answer, as either side says. */
const isLast = (c: Context<AppEnv>): boolean =>
  [c.req.header('Connection'), c.res.headers.get('Connection')].some((told) => /\bclose\b/i.test(told ?? ''))

/**
 * Counts calls by client address, and sets the limits for the body of each call. Idle connections are counted by the
 * server of the runtime, if it can.
 */
export const boundCalls = (deps: Deps) => {
  const { settings, platform } = deps
  const calls = new ConcurrencyLimit(settings.connectionsMax, connectionsPerAddress(settings))
  const budget = new BodyMemoryBudget(bodyMegabytes(settings, platform.memoryBytes) * 2 ** 20)
  const held = openCallsInFlight(deps)
  const dropRest = openDropping(deps)
  // Refused calls that wait leave places for others.
  const delayed = new ConcurrencyLimit(
    Math.ceil(settings.connectionsMax / 2),
    Math.ceil(connectionsPerAddress(settings) * delayedShare),
  )
  const limits = {
    bytesPerSecondMin,
    pauseMaxMs: settings.bodyPauseMaxS * 1000,
    timeMaxMs: bodyTimeMaxMs,
  }
  const claimFor = (c: Context<AppEnv>, address: string) =>
    budget.claim(() => {
      const { company } = identifyCaller(c, deps)
      return company === anonymousCaller(address).company ? address : company
    })
  const serve = async (c: Context<AppEnv>, next: Next, address: string, claim: BodyClaim): Promise<void> => {
    held.endLost()
    if (!calls.enter(address)) throw new AppError('overloaded', 'Too many calls at one time')
    let isDelayed = false
    const end = held.begin(() => {
      claim.release()
      calls.leave(address)
      if (isDelayed) delayed.leave(address)
    })
    try {
      await next()
      if (hasCode(c.error, 'overloaded') && !c.req.raw.signal.aborted) {
        claim.release()
        isDelayed = delayed.enter(address)
        if (isDelayed) await pause(drawRefusalDelayMs())
      }
    } finally {
      end()
    }
  }
  return createMiddleware<AppEnv>(async (c, next) => {
    const address = clientKey(c, deps)
    const incoming = { request: c.req.raw, claim: claimFor(c, address), pace: new BodyPace(limits) }
    c.set('incoming', incoming)
    try {
      await serve(c, next, address, incoming.claim)
    } finally {
      if (platform.restOfBody !== 'by_runtime') {
        const dropped = dropRest(incoming, address)
        if (platform.restOfBody === 'before_last_answer' && isLast(c)) await dropped
      }
    }
  })
}
