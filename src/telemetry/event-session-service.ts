/** Event sessions of capturing apps. */
import type { Authority, Authorized, ListScope } from '../identity/authority.ts'
import { pause } from '../queue/timers.ts'
import type { Listing, ListQuery } from '../records/list-query.ts'
import type { EventSession, SentObject, SessionEvent, StoredEvent } from '../records/telemetry.ts'
import type { EventSessionStore } from '../storage/telemetry/event-session-store.ts'

interface EventSessionServiceDeps {
  eventSessions: EventSessionStore
  /** Age at which a session is removed with its events. */
  retentionMs: number
  randomId(): string
  nowMs(): number
}

/** Sessions that one transaction removes, with up to 5000 events each. */
const removedAtOnce = 2

/** What an app reports at once. */
interface Report {
  /** A session that exists or is to be opened; `null` for a new one. */
  sessionId: string | null
  device: SentObject
  events: readonly SessionEvent[]
}

export class EventSessionService {
  readonly #deps: EventSessionServiceDeps

  constructor(deps: EventSessionServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find(authority: Authority, id: string): Promise<Authorized<EventSession, 'read event_session'>> {
    return authority.require('read', 'event_session', () => this.#deps.eventSessions.find(id), ownerOf)
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read event_session'>): Promise<Listing<EventSession>> {
    return this.#deps.eventSessions.list(query, scope.companyId ?? null)
  }

  listEvents(
    { id }: Authorized<EventSession, 'read event_session'>,
    query: ListQuery,
  ): Promise<Listing<StoredEvent>> {
    return this.#deps.eventSessions.listEvents(id, query)
  }

  /**
   * Stores what an app reports, in a session that is opened if it does not exist.
   * @throws {AppError} `value_invalid` if there is no such company, `not_found` for a session that the caller may not
   *   add to, `not_allowed` for too many events
   */
  async add(
    authority: Authority,
    { companyId }: Authorized<{ companyId: string }, 'create event_session'>,
    { sessionId, device, events }: Report,
  ): Promise<EventSession> {
    const { eventSessions, randomId, nowMs } = this.#deps
    const known = sessionId === null ? null : await eventSessions.find(sessionId)
    if (known) await authority.require('create', 'event_session', async () => known, ownerOf)
    const now = nowMs()
    const opened = { id: sessionId ?? randomId(), companyId, userId: authority.principal.userId }
    const { id, companyId: owner, userId } = known ?? opened
    const session = { id, companyId: owner, userId, device, createdAtMs: now, updatedAtMs: now }
    return eventSessions.add(session, events)
  }

  /** Removes sessions that are older than the retention time. */
  async removeOld(): Promise<void> {
    const { retentionMs, nowMs } = this.#deps
    await this.#removeAll({ createdBeforeMs: nowMs() - retentionMs })
  }

  /** Removes the sessions of a company. */
  removeOf(companyId: string): Promise<void> {
    return this.#removeAll({ companyId })
  }

  async #removeAll(which: Parameters<EventSessionStore['delete']>[0]): Promise<void> {
    // A local database answers without a turn of the event loop: requests get theirs in between.
    while ((await this.#deps.eventSessions.delete(which, removedAtOnce)) === removedAtOnce) await pause(0)
  }
}

const ownerOf = ({ companyId, userId }: EventSession) => ({ companyId, userId })
