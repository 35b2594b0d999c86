/** The sessions of users: shown to and ended by themselves and those who manage them. */
import { AppError } from '../errors.ts'
import type { Authority } from '../identity/authority.ts'
import type { SessionRecord } from '../records/account.ts'
import type { Listing, ListQuery } from '../records/list-query.ts'
import type { SessionStore } from '../storage/accounts/session-store.ts'
import type { UserService } from './user-service.ts'

interface UserSessionsDeps {
  service: UserService
  sessions: SessionStore
  /** Called when a session has ended. */
  onChanged(): void
}

export class UserSessions {
  readonly #deps: UserSessionsDeps

  constructor(deps: UserSessionsDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  async list(authority: Authority, userId: string, query: ListQuery): Promise<Listing<SessionRecord>> {
    await this.#deps.service.findManaged(authority, userId)
    return this.#deps.sessions.list(userId, query)
  }

  /**
   * Ends a session with its pairs of tokens.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async end(authority: Authority, userId: string, id: string): Promise<void> {
    const { service, sessions, onChanged } = this.#deps
    await service.findManaged(authority, userId)
    const session = await sessions.find({ id })
    if (session?.userId !== userId) throw new AppError('not_found')
    await sessions.end(session)
    onChanged()
  }
}
