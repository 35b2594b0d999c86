/** Signing in, staying signed in, and the tokens for it. */
import { AppError } from '../errors.ts'
import { hashToken, issueAccessToken, newOpaqueToken } from '../identity/access-token.ts'
import { type RandomBytes, type Scrypt, verifyPassword } from '../identity/passwords.ts'
import type { UserRecord } from '../records/account.ts'
import type { SessionStore, StoredSession } from '../storage/session-store.ts'
import type { UserStore } from '../storage/user-store.ts'
import { type Principal, principalOf } from './principal.ts'

export interface SessionParts {
  users: UserStore
  sessions: SessionStore
  /** Signs access tokens. */
  secret: Uint8Array
  scrypt: Scrypt
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

/** A session with its tokens, which are shown once and kept nowhere. */
export interface IssuedSession {
  user: UserRecord
  sessionId: string
  number: number
  accessToken: string
  expireToken: string
  expiresAtMs: number
}

/** How long a pair of tokens can still be renewed after its session has ended. */
export const renewalMs = 24 * 3600_000

/** The end of a session is written down when it moves by this share of its life, not at every call. */
const writtenShare = 1 / 60

export class Sessions {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** @throws {AppError} `credentials_wrong`, `user_blocked` */
  async signIn(email: string, password: string): Promise<IssuedSession> {
    const { users, scrypt } = this.#parts
    const known = await users.credentials({ email })
    // An unknown address takes as long as a wrong password.
    const isRight = await verifyPassword(password, known?.passwordHash ?? null, scrypt)
    if (!known || !isRight) throw new AppError('credentials_wrong', '')
    return this.#issue(known.user, null)
  }

  /**
   * A new pair of tokens for a caller's session. The old pair goes when the new one is first used.
   * @throws {AppError} `token_unknown` when no session has this pair's end token, `forbidden` when it is somebody else's
   */
  async refresh(accessToken: string, expireToken: string): Promise<IssuedSession> {
    const { users, sessions, nowMs } = this.#parts
    const session = await sessions.find({ expireHash: await hashToken(expireToken) })
    if (!session || session.expiresAtMs + renewalMs < nowMs())
      throw new AppError('token_unknown', 'Session not found')
    const caller = await sessions.find({ accessHash: await hashToken(accessToken) })
    if (!caller) throw new AppError('token_unknown', '')
    if (caller.userId !== session.userId)
      throw new AppError('forbidden', 'You have not access to refresh this session')
    const user = await users.find(session.userId)
    if (!user) throw new AppError('token_unknown', 'Session not found')
    const issued = await this.#issue(user, session)
    await sessions.endSuccessors(session.id, issued.sessionId)
    return issued
  }

  /** A token for a machine that signs in nowhere. */
  issueServiceToken(user: UserRecord): Promise<IssuedSession> {
    return this.#issue(user, null, this.#parts.longTtlMs)
  }

  /** @throws {AppError} `token_unknown`, `token_expired`, `user_blocked` */
  async authenticate(accessToken: string): Promise<Principal> {
    const { users, sessions, nowMs } = this.#parts
    const session = await sessions.find({ accessHash: await hashToken(accessToken) })
    if (!session) throw new AppError('token_unknown', '')
    if (session.expiresAtMs < nowMs()) throw new AppError('token_expired', '')
    const user = await users.find(session.userId)
    if (!user) throw new AppError('token_unknown', '')
    if (!user.isActive) throw new AppError('user_blocked', '')
    await this.#use(session)
    return principalOf(user, session.id)
  }

  async #use(session: StoredSession): Promise<void> {
    const expiresAtMs = this.#parts.nowMs() + session.ttlMs
    const isMoved = expiresAtMs - session.expiresAtMs >= session.ttlMs * writtenShare
    if (!isMoved && session.replaces === null) return
    try {
      await this.#parts.sessions.use(session, Math.max(expiresAtMs, session.expiresAtMs))
    } catch (error) {
      this.#parts.onUseFailed(error)
    }
  }

  async #issue(
    user: UserRecord,
    replaced: StoredSession | null,
    ttlMs = replaced?.ttlMs ?? this.#ttlOf(user),
  ): Promise<IssuedSession> {
    if (!user.isActive) throw new AppError('user_blocked', '')
    const { sessions, secret, randomBytes, randomId, nowMs } = this.#parts
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
      replaces: replaced?.id ?? null,
      createdAtMs,
    })
    return { user, sessionId, number, accessToken, expireToken, expiresAtMs }
  }

  #ttlOf({ type }: UserRecord): number {
    return type === 'CLIENT_SERVICE' ? this.#parts.longTtlMs : this.#parts.ttlMs
  }
}
