/** Runs stored analyses in the background: fair between companies, safe across restarts, with a limited number of attempts. */
import { BackgroundLoop } from '../background/background-loop.ts'
import { KeyedCount } from '../queue/keyed-count.ts'
import type { TakenFolder } from '../storage/folders/job-store.ts'
import { type FolderRunDeps, runFolder } from './run-folder.ts'

export interface RunnerDeps extends FolderRunDeps {
  /** Time after which an analysis is free for other runners, unless its runner extends the lease. */
  leaseMs: number
  /** Maximum number of folders whose analyses run at the same time; with `isParallel`, of analyses. */
  atOnceMax: number
  /** Time between two checks for analyses that have become due or were left by another process. */
  pollMs: number
  /** The same after many checks in vain. */
  pollMaxMs: number
  /** Called when an analysis has ended. */
  onEnded(): void
  /** Runs the analyses of a folder within something that watches them. */
  aroundFolder?(run: () => Promise<void>): Promise<void>
}

/** Folders of no company count together. */
const companyKey = (companyId: string | null): string => companyId ?? ''

/** How far the clocks of replicas may differ before leases of others look as if they were written before a clock was set back. */
const clockMarginMs = 60_000

/**
 * Carries out analyses that are stored as rows. Any number of runners may share a database: an analysis belongs to the runner
 * that holds its lease, and another one takes it over when the lease has expired. A runner takes all due analyses of a folder,
 * so that its media are read and assessed once. Companies take turns.
 *
 * A failed analysis is tried `attemptsMax` times. `media_unreadable` and `media_unsupported` end it at once, as does a medium or
 * collection that no longer exists; `overloaded`, stores that do not answer and a lack of workers cost no attempt. While no
 * worker is ready here, nothing is taken: another replica may have some. No method rejects because of an analysis: failures go
 * to `onError`, and the record of the analysis has its outcome.
 * @example
 * ```ts
 * import { openTestDatabase } from '../../test/fixtures/database.ts'
 * import { keepFolders } from '../../test/fixtures/kept-folders.ts'
 * import { AnalysisRunner } from './analysis-runner.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const { parts, keptMedia, company, folder, start } = keepFolders(database)
 * const submitted = await folder(await company('Example'))
 * await start(submitted)
 *
 * await new Promise<void>((onEnded, onError) => {
 *   const limits = { attemptsMax: 3, attemptDelayMs: 30_000, leaseMs: 12_000, atOnceMax: 2 }
 *   const polling = { pollMs: 1000, pollMaxMs: 5000, isParallel: false, canAssess: () => true }
 *   const told = { onError, onEnded: () => onEnded(runner.stop()) }
 *   const runner = new AnalysisRunner({ ...parts, ...limits, ...polling, ...told, keptMedia: keptMedia() })
 *   runner.start()
 * })
 * const { result } = (await parts.folders.find(submitted.id))!
 * result.systemResolution // → 'SUCCESS'
 * await close()
 * ```
 */
export class AnalysisRunner {
  readonly #deps: RunnerDeps
  readonly #running = new Set<Promise<void>>()
  readonly #taken = new Set<TakenFolder>()
  /** When each company was last served; companies that were never served come first. */
  readonly #served = new Map<string | null, number>()
  readonly #perCompany = new KeyedCount()
  readonly #looking: BackgroundLoop
  /** Extends the leases of all running work at once, while there is any. */
  readonly #heartbeat: BackgroundLoop

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    const { pollMs, pollMaxMs, leaseMs, onError } = deps
    const run = (signal: AbortSignal) => this.#fill(signal)
    this.#looking = new BackgroundLoop({ run, onError, pauseMs: pollMs, pauseMaxMs: pollMaxMs })
    // Nobody waits for a call: one that hangs must not keep the next ones from holding the leases.
    const beat = async () => void this.#extend().catch(onError)
    this.#heartbeat = new BackgroundLoop({ run: beat, onError, pauseMs: leaseMs / 3 })
  }

  /** Checks for work now, and again and again from then on. */
  start(): void {
    this.#looking.start()
  }

  /** Checks for work now; called after analyses were added. */
  wake(): void {
    this.#looking.wake()
  }

  /** Starts nothing more, and resolves when the running analyses have ended. */
  async stop(): Promise<void> {
    await this.#looking.stop()
    await Promise.all(this.#running)
  }

  /**
   * Runs what is due, one folder after another, until nothing is or `isTimeUp`; for runtimes whose background work belongs to
   * one call. Not together with `start`.
   */
  async drain(isTimeUp: () => boolean): Promise<void> {
    while (!isTimeUp()) {
      const taken = await this.#next().catch(this.#deps.onError)
      if (!taken) return
      this.#begin(taken)
      await Promise.all(this.#running)
    }
  }

  /** Begins work until there is none, or no place. */
  async #fill(signal: AbortSignal): Promise<void> {
    while (this.#places() > 0 && !signal.aborted) {
      const taken = await this.#next()
      if (!taken) return
      this.#begin(taken, () => this.wake())
    }
  }

  #places(): number {
    const { atOnceMax, isParallel } = this.#deps
    const used = [...this.#taken].reduce((sum, { jobs }) => sum + (isParallel ? jobs.length : 1), 0)
    return atOnceMax - used
  }

  /** Work of the company with the least running; among equals, of the company served longest ago. */
  async #next(): Promise<TakenFolder | null> {
    const { jobs, nowMs, leaseMs, attemptDelayMs, canAssess, onError } = this.#deps
    if (!canAssess()) return null
    const horizonMs = Math.max(leaseMs, attemptDelayMs) + clockMarginMs
    const waiting = await jobs.waiting(nowMs(), horizonMs)
    const rank = (companyId: string | null) => this.#perCompany.of(companyKey(companyId))
    const last = (companyId: string | null) => this.#served.get(companyId) ?? 0
    waiting.sort((a, b) => rank(a) - rank(b) || last(a) - last(b))
    for (const companyId of waiting) {
      try {
        const taken = await this.#take(companyId, horizonMs)
        if (taken) return taken
      } catch (error) {
        // A database that is away fails here, too. A folder that cannot be read is leased now, costs its analyses an attempt, and
        // stops no other.
        await jobs.waiting(nowMs(), horizonMs)
        onError(error)
      }
    }
    return null
  }

  async #take(companyId: string | null, horizonMs: number): Promise<TakenFolder | null> {
    const { jobs, keptMedia, nowMs, randomId, leaseMs } = this.#deps
    const time = { nowMs: nowMs(), leaseMs, horizonMs }
    const taken = await jobs.take(companyId, randomId(), time, keptMedia.models)
    return taken && taken.jobs.length > 0 ? taken : null
  }

  #begin(taken: TakenFolder, onEnd: () => void = () => {}): void {
    const { companyId } = taken.folder
    this.#served.set(companyId, this.#deps.nowMs())
    this.#perCompany.add(companyKey(companyId), 1)
    this.#taken.add(taken)
    this.#heartbeat.start(this.#deps.leaseMs / 3)
    const runTaken = () => runFolder(this.#deps, taken)
    const run = (this.#deps.aroundFolder?.(runTaken) ?? runTaken()).finally(() => {
      this.#running.delete(run)
      this.#taken.delete(taken)
      if (this.#taken.size === 0) void this.#heartbeat.stop()
      this.#perCompany.add(companyKey(companyId), -1)
      onEnd()
    })
    this.#running.add(run)
  }

  async #extend(): Promise<void> {
    const { jobs, leaseMs, nowMs } = this.#deps
    const held = [...this.#taken].flatMap((taken) => taken.jobs.map(({ job }) => job))
    await jobs.extend(held, nowMs() + leaseMs)
  }
}
