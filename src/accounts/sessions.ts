/** Signing in, staying signed in, and the tokens for it. */
import { AppError } from '../errors.ts'
import { hashToken, issueAccessToken, newOpaqueToken } from '../identity/access-token.ts'
import { type RandomBytes, type ScryptFor, verifyPassword } from '../identity/passwords.ts'
import type { Principal } from '../identity/principal.ts'
import type { Caller } from '../queue/caller.ts'
import type { UserRecord } from '../records/account.ts'
import type { SessionStore, StoredSession } from '../storage/accounts/session-store.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'

export interface SessionDeps {
  users: UserStore
  sessions: SessionStore
  /** Signs access tokens. */
  secret: Uint8Array
  scryptFor: ScryptFor
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
  /** Milliseconds a session lives on after each use. */
  ttlMs: number
  /** The same for service accounts and service tokens. */
  longTtlMs: number
  /** Told when the end of a session could not be moved: the call goes on all the same. */
  onUseFailed(error: unknown): void
}

const toPrincipal = (user: UserRecord, sessionId: string): Principal => ({
  userId: user.id,
  companyId: user.companyId,
  userType: user.type,
  startFlags: user.startFlags,
  sessionId,
})

/** A session with its tokens, which are shown once and kept nowhere. */
export interface IssuedSession {
  user: UserRecord
  /** UUID. */
  sessionId: string
  /** The contract's `session_id`. */
  number: number
  accessToken: string
  expireToken: string
  /** Milliseconds since 1970; moves with each use. */
  expiresAtMs: number
}

/** How long a pair of tokens can still be renewed after its session has ended. */
export const renewalMs = 24 * 3600_000

/** Accounts that may have a token without signing in, which lives long. */
export const takesServiceToken = ({ type }: UserRecord): boolean =>
  type === 'CLIENT_SERVICE' || type === 'OPERATOR'

/** The end of a session is written down when it moves by this share of its life, not at every call. */
const writtenShare = 1 / 60

/**
 * Sessions of users. Each has an access token (JWT, HS256), which comes with every call, and an expire token (128 hexadecimal
 * characters), which renews the pair; the database has only their hashes. A session ends `ttlMs` after its last use, and can be
 * renewed for another `renewalMs`. What ends or blocks a session is looked up at each call.
 * @example
 * ```ts
 * import { sessionDeps } from '../../test/fixtures/accounts.ts'
 * import { openTestDatabase } from '../../test/fixtures/database.ts'
 * import { anonymous } from '../queue/caller.ts'
 * import { Sessions } from './sessions.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const sessions = new Sessions(await sessionDeps(database, 'ada@example.com', 'secret'))
 * const first = await sessions.signIn('ada@example.com', 'secret', anonymous('192.0.2.1'))
 * const { userType } = await sessions.authenticate(first.accessToken)
 * userType // → 'CLIENT'
 *
 * const next = await sessions.refresh(first.accessToken, first.expireToken)
 * await sessions.authenticate(next.accessToken)
 * await sessions.authenticate(first.accessToken).catch(({ code }) => code) // → 'token_unknown'
 * await close()
 * ```
 */
export class Sessions {
  readonly #deps: SessionDeps

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /**
   * @param caller at whose charge the password is checked
   * @throws {AppError} `credentials_wrong`, `user_blocked`, `overloaded`
   */
  async signIn(email: string, password: string, caller: Caller): Promise<IssuedSession> {
    const { users, scryptFor } = this.#deps
    const known = await users.credentials({ email })
    // An unknown address takes as long as a wrong password.
    const isRight = await verifyPassword(password, known?.passwordHash ?? null, scryptFor(caller))
    if (!known || !isRight) throw new AppError('credentials_wrong')
    return this.#issue(known.user, this.#ttlOf(known.user), null)
  }

  /**
   * A new pair of tokens for a caller's session. The old pair goes when a new one is first used. Each new pair that was
   * answered stays, since two calls at a time cannot know which answer their client keeps.
   * @throws {AppError} `token_unknown` when no session has this pair's end token or it can no longer be renewed, `forbidden`
   *   when it is somebody else's, `user_blocked`
   */
  async refresh(accessToken: string, expireToken: string): Promise<IssuedSession> {
    const { users, sessions, nowMs } = this.#deps
    const session = await sessions.find({ expireHash: await hashToken(expireToken) })
    if (!session || session.expiresAtMs + renewalMs < nowMs())
      throw new AppError('token_unknown', 'Session not found')
    const caller = await sessions.find({ accessHash: await hashToken(accessToken) })
    if (!caller) throw new AppError('token_unknown')
    if (caller.userId !== session.userId)
      throw new AppError('forbidden', 'You have not access to refresh this session')
    const user = await users.find(session.userId)
    if (!user) throw new AppError('token_unknown', 'Session not found')
    return this.#issue(user, this.#ttlIn(session, user), session.id)
  }

  /**
   * Ends the session of a token, and the pairs that were made from it and not used yet. Also works for a session whose
   * time is over, since its pair could still be renewed, and for a user who is switched off.
   * @throws {AppError} `token_unknown`
   */
  async signOut(accessToken: string): Promise<void> {
    const session = await this.#deps.sessions.find({ accessHash: await hashToken(accessToken) })
    if (!session) throw new AppError('token_unknown')
    await this.#deps.sessions.end(session)
  }

  /**
   * A token for a machine that signs in nowhere; for anybody else one that lives as long as after signing in.
   * @throws {AppError} `user_blocked`
   */
  issueServiceToken(user: UserRecord): Promise<IssuedSession> {
    const ttlMs = takesServiceToken(user) ? this.#deps.longTtlMs : this.#ttlOf(user)
    return this.#issue(user, ttlMs, null)
  }

  /**
   * Who calls with an access token. Counts as a use: the session's end moves.
   * @throws {AppError} `token_unknown`, `token_expired`, `user_blocked`
   */
  async authenticate(accessToken: string): Promise<Principal> {
    const { users, sessions, nowMs } = this.#deps
    const session = await sessions.find({ accessHash: await hashToken(accessToken) })
    if (!session) throw new AppError('token_unknown')
    if (session.expiresAtMs < nowMs()) throw new AppError('token_expired')
    const user = await users.find(session.userId)
    if (!user) throw new AppError('token_unknown')
    if (!user.isActive) throw new AppError('user_blocked')
    await this.#use(session, user)
    return toPrincipal(user, session.id)
  }

  async #use(session: StoredSession, user: UserRecord): Promise<void> {
    const ttlMs = this.#ttlIn(session, user)
    const isChanged = ttlMs !== session.ttlMs
    const expiresAtMs = this.#deps.nowMs() + ttlMs
    const isMoved = expiresAtMs - session.expiresAtMs >= ttlMs * writtenShare
    if (!isChanged && !isMoved && session.replaces === null) return
    // A clock that was set back ends no session early; a role that was taken back does.
    const endMs = isChanged ? expiresAtMs : Math.max(expiresAtMs, session.expiresAtMs)
    try {
      await this.#deps.sessions.use(session, { ttlMs, expiresAtMs: endMs })
    } catch (error) {
      this.#deps.onUseFailed(error)
    }
  }

  async #issue(user: UserRecord, ttlMs: number, replaces: string | null): Promise<IssuedSession> {
    if (!user.isActive) throw new AppError('user_blocked')
    const { sessions, secret, randomBytes, randomId, nowMs } = this.#deps
    const createdAtMs = nowMs()
    const expiresAtMs = createdAtMs + ttlMs
    const sessionId = randomId()
    const expireToken = newOpaqueToken(randomBytes)
    const accessToken = await issueAccessToken(
      {
        tokenId: sessionId,
        userId: user.id,
        userType: user.type,
        companyId: user.companyId,
        issuedAtMs: createdAtMs,
        expiresAtMs,
      },
      secret,
    )
    const number = await sessions.insert({
      id: sessionId,
      userId: user.id,
      accessHash: await hashToken(accessToken),
      expireHash: await hashToken(expireToken),
      ttlMs,
      expiresAtMs,
      replaces,
      createdAtMs,
    })
    return { user, sessionId, number, accessToken, expireToken, expiresAtMs }
  }

  /** An operator's session may be that of a service token; all others live as the role does now. */
  #ttlIn(session: StoredSession, user: UserRecord): number {
    return user.type === 'OPERATOR' ? session.ttlMs : this.#ttlOf(user)
  }

  /** After signing in. */
  #ttlOf({ type }: UserRecord): number {
    return type === 'CLIENT_SERVICE' ? this.#deps.longTtlMs : this.#deps.ttlMs
  }
}
