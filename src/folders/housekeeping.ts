/** Regular clean-up: analyses that took too long, files to remove, old folders, ended sessions. */
import { BackgroundLoop } from '../background/background-loop.ts'
import { workOff } from '../queue/work-off.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'
import type { SessionStore } from '../storage/accounts/session-store.ts'
import type { AbandonedAnalysis } from '../storage/folders/expire-analyses.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { JobStore } from '../storage/folders/job-store.ts'
import type { Announcement } from '../storage/folders/recompute-result.ts'
import type { RecordFiles } from './record-files.ts'
import { removeFolder } from './remove-folder.ts'

export interface HousekeepingDeps {
  jobs: JobStore
  folders: FolderStore
  files: RecordFiles
  sessions: SessionStore
  companies: CompanyStore
  processingMaxMs: number
  deliveryMaxMs: number
  /** `null`: folders are never removed because of their age. */
  retentionMs: number | null
  /** How long an expired session can still be renewed. */
  renewalMs: number
  beatMs: number
  nowMs(): number
  randomId(): string
  onError(error: unknown): void
  /** Called when analyses were ended here. */
  onEnded(): void
  /** Called for each of them. */
  onAbandoned?: ((analysis: AbandonedAnalysis) => void) | null
  /** Called for each folder that was removed because of its age, or with its company. */
  onFolderRemoved?: ((why: 'age' | 'company') => void) | null
  /** Continues the removal of collections: of one company, or with `null` of all. */
  removeCollections(
    companyId: string | null,
    onError: (error: unknown) => void,
  ): Promise<'all' | 'some' | 'failed'>
  /** Removes the event sessions of a company. */
  removeTelemetry(companyId: string): Promise<void>
  /** Further duties of each round, in this order. */
  also: readonly (() => Promise<void>)[]
}

const foldersAtOnce = 100
/** How long the removal of files may delay other duties, and the shutdown. */
const sweepingMaxMs = 5000
/** Pause before the next round if the last one did not finish. */
const behindMs = 100
/** Longer than any lease. */
const leaseMaxMs = 3600_000

export class Housekeeping {
  readonly #deps: HousekeepingDeps
  readonly #loop: BackgroundLoop
  #isStopped = false
  /** While a round of the loop runs: at its end it looks whether it is behind. */
  #isBeating = false
  /** True if the last round had no time to remove everything, or more was marked for removal meanwhile. */
  #isBehind = false
  /** Removals that have failed in this round. */
  #failed = 0
  #failedRemovals = 0

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps
    const { onError, beatMs } = deps
    this.#loop = new BackgroundLoop({ run: () => this.#beatInTurn(), onError, pauseMs: beatMs })
  }

  /** How many removals failed in the last round: of folders, companies, collections and persons. Each is tried again in the next. */
  get failedRemovals(): number {
    return this.#failedRemovals
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop.stop()
  }

  /** Begins a round soon, if rounds are running: something was marked for removal. */
  wake(): void {
    this.#isBehind = true
    // After a round that runs, the next one begins soon in any case.
    if (!this.#isBeating) this.#loop.wake()
  }

  /** Runs one round now. A duty that fails does not prevent the others. */
  async beat(): Promise<void> {
    const { onError, also } = this.#deps
    const duties = [
      () => this.#expireAnalyses(),
      () => this.#removeCompanies(),
      async () => void (await this.#removeCollections(null, this.#countFailure)),
      () => this.#removeOldFolders(),
      () => this.#removeFiles(),
      () => this.#deps.sessions.deleteEndedBefore(this.#deps.nowMs() - this.#deps.renewalMs),
      ...also,
    ]
    this.#isBehind = false
    this.#failed = 0
    for (const duty of duties) await duty().catch(onError)
    this.#failedRemovals = this.#failed
  }

  readonly #countFailure = (error: unknown): void => {
    this.#failed++
    this.#deps.onError(error)
  }

  async #beatInTurn(): Promise<number | undefined> {
    this.#isBeating = true
    await this.beat()
    this.#isBeating = false
    return this.#isBehind ? behindMs : undefined
  }

  async #expireAnalyses(): Promise<void> {
    const { jobs, processingMaxMs, deliveryMaxMs, randomId, nowMs } = this.#deps
    const { onEnded, onAbandoned, onError } = this.#deps
    const now = nowMs()
    const limits = {
      startedBefore: now - processingMaxMs,
      createdBefore: now - deliveryMaxMs,
      leasedAfter: now + leaseMaxMs,
    }
    const announcement = (): Announcement => ({ eventId: randomId(), nowMs: now })
    const expired = await jobs.expire(limits, announcement, onError)
    for (const analysis of expired) onAbandoned?.(analysis)
    if (expired.length > 0) onEnded()
  }

  async #removeOldFolders(): Promise<void> {
    const { folders, retentionMs, nowMs } = this.#deps
    if (retentionMs === null) return
    const list = (failed: readonly string[]) =>
      folders.createdBefore(nowMs() - retentionMs, foldersAtOnce, failed)
    await this.#removeFolders(list, 'age')
  }

  /**
   * Removes folders one by one. One that fails stops no other.
   * @param list up to `foldersAtOnce` folders other than those that failed
   * @returns whether all are removed
   */
  async #removeFolders(
    list: (failed: readonly string[]) => Promise<readonly string[]>,
    why: 'age' | 'company',
  ): Promise<boolean> {
    const { companies, onFolderRemoved } = this.#deps
    const remove = async ([id]: readonly string[]) => {
      await removeFolder(this.#deps, id!)
      onFolderRemoved?.(why)
    }
    const failed: string[] = []
    for (;;) {
      const ids = await list(failed)
      for (const id of ids) {
        if (this.#isStopped) return false
        failed.push(
          ...(await workOff([id], remove, { onError: this.#countFailure, check: () => companies.system() })),
        )
      }
      if (ids.length < foldersAtOnce) return failed.length === 0
    }
  }

  /** Files are deleted with their records; this takes what could not be deleted then, and what interrupted uploads left. */
  async #removeFiles(): Promise<void> {
    const { files, nowMs } = this.#deps
    const endMs = nowMs() + sweepingMaxMs
    const swept = await files.sweep(() => this.#isStopped || nowMs() >= endMs)
    if (swept === 'some') this.#isBehind = true
  }

  async #removeCollections(
    companyId: string | null,
    onError: (error: unknown) => void,
  ): Promise<'all' | 'some' | 'failed'> {
    const removed = await this.#deps.removeCollections(companyId, onError)
    if (removed === 'some') this.#isBehind = true
    return removed
  }

  /** Continues the removal of companies. One that fails does not prevent the others. */
  async #removeCompanies(): Promise<void> {
    for (const companyId of await this.#deps.companies.inDeletion())
      await this.#removeCompany(companyId).catch(this.#countFailure)
  }

  async #removeCompany(companyId: string): Promise<void> {
    const { companies, onError } = this.#deps
    // Those that fail are counted later, with the collections of all companies.
    const collections = await this.#removeCollections(companyId, onError)
    const list = (failed: readonly string[]) => companies.folderIds(companyId, foldersAtOnce, failed)
    const hasNoFolders = await this.#removeFolders(list, 'company')
    await this.#deps.removeTelemetry(companyId)
    if (collections === 'all' && hasNoFolders) await companies.delete(companyId)
  }
}
