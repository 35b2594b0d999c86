/** The queue of those who decide: what waits for them, and who looks at which case. */
import type { WaitingResult } from '../decide/folder-result.ts'
import type { Authority, Authorized, ListScope } from '../identity/authority.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { Paging } from '../records/list-query.ts'
import type { QueueEntry, QueuePage } from '../records/queue.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { QueueStore } from '../storage/folders/queue-store.ts'

interface QueueServiceDeps {
  queue: QueueStore
  folders: Pick<FolderStore, 'head'>
  /** Whether a second person must agree with a decision. */
  needsSecond: boolean
  nowMs(): number
}

/** How long a case is looked at by one person, unless it is taken again. */
const leaseMs = 5 * 60_000

export class QueueService {
  readonly #deps: QueueServiceDeps

  constructor(deps: QueueServiceDeps) {
    this.#deps = deps
  }

  list(
    results: readonly WaitingResult[],
    scope: Authorized<ListScope, 'read queue'>,
    paging: Paging,
  ): Promise<QueuePage> {
    return this.#deps.queue.list(results, scope, paging, this.#deps.nowMs())
  }

  /**
   * Takes the oldest case that nobody else looks at.
   * @param afterId the case that it shall follow, which is left; `null` for the oldest
   * @returns `null` if there is none
   * @throws {AppError} `forbidden`
   */
  takeNext(
    authority: Authority,
    results: readonly WaitingResult[],
    afterId: string | null,
  ): Promise<QueueEntry | null> {
    authority.scope('update', 'queue')
    const { queue, needsSecond } = this.#deps
    return queue.takeNext(results, authority.list('queue'), afterId, this.#lease(authority), needsSecond)
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find(authority: Authority, id: string): Promise<Authorized<FolderRecord, 'update queue'>> {
    return authority.require(
      'update',
      'queue',
      () => this.#deps.folders.head(id),
      (folder) => folder,
    )
  }

  /** Takes a case, unless somebody else looks at it. @returns it with the one who does; `null` if it was removed meanwhile */
  take(authority: Authority, { id }: Authorized<FolderRecord, 'update queue'>): Promise<QueueEntry | null> {
    return this.#deps.queue.take(id, this.#lease(authority))
  }

  async leave(authority: Authority, { id }: Authorized<FolderRecord, 'update queue'>): Promise<void> {
    await this.#deps.queue.release(id, authority.principal.userId)
  }

  #lease({ principal }: Authority) {
    const nowMs = this.#deps.nowMs()
    return { viewerId: principal.userId, nowMs, untilMs: nowMs + leaseMs }
  }
}
