/** Sessions of users and their tokens. */
import { AppError, invariant } from '../errors.ts'
import { hashToken, issueAccessToken, newOpaqueToken } from '../identity/access-token.ts'
import { type RandomBytes, type ScryptFor, verifyPassword } from '../identity/passwords.ts'
import type { Principal } from '../identity/principal.ts'
import { stepOfCode } from '../identity/second-factor.ts'
import type { Caller } from '../queue/caller.ts'
import type { UserRecord } from '../records/account.ts'
import type { SessionStore, StoredSession } from '../storage/accounts/session-store.ts'
import type { Credentials, UserStore } from '../storage/accounts/user-store.ts'
import type { KnownSession, SessionCache } from './session-cache.ts'

export interface SessionDeps {
  users: UserStore
  sessions: SessionStore
  /** Sessions that were read a short time ago. */
  cache: SessionCache
  /** Signs access tokens. */
  secret: Uint8Array
  scryptFor: ScryptFor
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
  /** Milliseconds until a session ends, counted from its last use. */
  ttlMs: number
  /** The same for service accounts and service tokens. */
  longTtlMs: number
  /** Called if a session could not be extended; the request continues. */
  onUseFailed(error: unknown): void
}

export const toPrincipal = (user: UserRecord, sessionId: string | null): Principal => ({
  userId: user.id,
  companyId: user.companyId,
  userType: user.type,
  startFlags: user.startFlags,
  sessionId,
})

/** A session with its tokens, which are returned once and not stored. */
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

/** How long a pair of tokens can be refreshed after its session has ended. */
export const renewalMs = 24 * 3600_000

/** After this time the identity provider says anew who a user is and which role the user has, however much the session is used. */
export const providedMs = 12 * 3600_000

const endOf = (ms: number, endsByMs: number | null): number => Math.min(ms, endsByMs ?? ms)

/** What a service token is called that was given no name. */
const serviceTokenName = 'service token'

/** Whether an account may have a long-lived token without signing in. */
export const takesServiceToken = ({ type }: UserRecord): boolean =>
  type === 'CLIENT_SERVICE' || type === 'OPERATOR'

/** What a user signs in with. */
export interface GivenCredentials {
  email: string
  password: string
  /** Of an authenticator app; `null` for none. */
  code?: string | null
  /** The program that signs in; the session is listed with it. */
  program?: string | null
}

/** What a sign-in asks before it checks. */
export interface SignInGuard {
  /** Called when the turn of the password's check comes; if it throws, the password is not checked. */
  onTurn?(): void
  /** Checks a code, if more of them may be tried. */
  attemptCode(fails: () => Promise<boolean>): Promise<boolean>
}

const unguarded: SignInGuard = { attemptCode: (fails) => fails() }

const refusedCode = (code: 'second_factor_missing' | 'credentials_wrong', message?: string): AppError => {
  const place = 'credentials.code'
  const details = { key_path: place, expected: 'the six digits that your authenticator app shows now' }
  return new AppError(code, message, { details, place })
}

/** The new end of a session is stored once it has moved by this share of the lifetime, or this much, not at every call. */
const [writtenShare, writtenMs] = [1 / 60, 3600_000]

/** Longer texts of programs are cut. */
const programLengthMax = 200

/**
 * Sessions of users. Each has an access token (JWT, HS256), which callers send with each request, and an expire token (128
 * hexadecimal characters), which renews the pair; the database stores only their hashes. A session ends `ttlMs` after its
 * last use, and can be renewed for another `renewalMs`; one by an identity provider ends `providedMs` after the sign-in, whatever is
 * done. Changes by other processes apply when the entry of the cache is too old.
 * @example
 * ```ts
 * import { sessionDeps } from '../../test/fixtures/accounts.ts'
 * import { openTestDatabase } from '../../test/fixtures/database.ts'
 * import { anonymousCaller } from '../queue/caller.ts'
 * import { Sessions } from './sessions.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const sessions = new Sessions(await sessionDeps(database, 'ada@example.com', 'secret'))
 * const first = await sessions.signIn(
 *   { email: 'ada@example.com', password: 'secret' },
 *   anonymousCaller('192.0.2.1'),
 * )
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
   * @param caller the caller whose share of work the password check uses
   * @throws {AppError} `credentials_wrong`, `second_factor_missing`, `user_blocked`, `overloaded`
   */
  async signIn(
    { email, password, code = null, program = null }: GivenCredentials,
    caller: Caller,
    { onTurn, attemptCode }: SignInGuard = unguarded,
  ): Promise<IssuedSession> {
    const { users, scryptFor } = this.#deps
    const known = await users.credentials({ email })
    // An unknown e-mail takes as long as a wrong password.
    const isRight = await verifyPassword(password, known?.passwordHash ?? null, scryptFor(caller, onTurn))
    if (!known || !isRight) throw new AppError('credentials_wrong')
    if (known.user.hasSecondFactor) await this.#checkCode(known, code, attemptCode)
    return this.#begin(known.user, program, { endsByMs: null, checked: known })
  }

  /**
   * A session of a user whom the identity provider of the organisation has identified.
   * @param program what the user signs in with; `null` if it does not say
   * @throws {AppError} `user_blocked`
   */
  begin(user: UserRecord, program: string | null): Promise<IssuedSession> {
    return this.#begin(user, program, { endsByMs: this.#deps.nowMs() + providedMs, checked: null })
  }

  async #checkCode(
    { user, secondFactor }: Credentials,
    code: string | null,
    attemptCode: SignInGuard['attemptCode'],
  ): Promise<void> {
    if (code === null) throw refusedCode('second_factor_missing')
    const { users, nowMs } = this.#deps
    const isWrong = await attemptCode(async () => {
      const step = stepOfCode(code, secondFactor!, nowMs())
      return step === null || !(await users.useSecondFactor(user.id, secondFactor!, step, null))
    })
    if (isWrong) throw refusedCode('credentials_wrong', 'The code is wrong, or was used before')
  }

  /**
   * Issues a new pair of tokens for a caller's session. The old pair ends when a new one is first used. All new pairs stay
   * valid until then, since with concurrent calls nobody knows which answer the client keeps.
   * @throws {AppError} `token_unknown` if no session has this expire token or it can no longer be renewed, `forbidden` if it
   *   belongs to another user, `user_blocked`
   */
  async refresh(accessToken: string, expireToken: string): Promise<IssuedSession> {
    const { users, sessions, nowMs } = this.#deps
    const session = await sessions.find({ expireHash: await hashToken(expireToken) })
    if (!session || endOf(session.expiresAtMs + renewalMs, session.endsByMs) < nowMs())
      throw new AppError('token_unknown', 'Session not found')
    const caller = await sessions.find({ accessHash: await hashToken(accessToken) })
    if (!caller) throw new AppError('token_unknown')
    if (caller.userId !== session.userId)
      throw new AppError('forbidden', 'You have not access to refresh this session', {
        details: { key_path: 'expire_token', expected: 'the expire_token of your own session' },
        place: 'expire_token',
      })
    const user = await users.find(session.userId)
    if (!user) throw new AppError('token_unknown', 'Session not found')
    const { name, endsByMs, id: replaces } = session
    return this.#issue(user, { name, ttlMs: this.#ttlIn(session, user), endsByMs, replaces })
  }

  /**
   * Ends the session of a token, and unused pairs that were refreshed from it. Also works for an expired session, whose
   * pair could still be refreshed, and for an inactive user.
   * @throws {AppError} `token_unknown`
   */
  async signOut(accessToken: string): Promise<void> {
    const session = await this.#deps.sessions.find({ accessHash: await hashToken(accessToken) })
    if (!session) throw new AppError('token_unknown')
    await this.#deps.sessions.end(session)
    this.#deps.cache.forgetAll()
  }

  /**
   * A long-lived token for a machine account (`takesServiceToken`).
   * @param name what it is called in lists; `null` keeps that of the session that it continues
   * @param replaces the session of an account that asks for itself, which it continues as a refreshed pair does: so nobody who holds
   *   a token gets another one that is left when it is revoked
   * @throws {AppError} `user_blocked`, `token_unknown` if that session has ended
   */
  async issueServiceToken(
    user: UserRecord,
    name: string | null,
    replaces: string | null,
  ): Promise<IssuedSession> {
    invariant(takesServiceToken(user), 'nobody else has a long-lived token')
    const replaced = replaces === null ? null : await this.#deps.sessions.find({ id: replaces })
    const kept = name ?? replaced?.name ?? serviceTokenName
    const endsByMs = replaced?.endsByMs ?? null
    return this.#issue(user, { name: kept, ttlMs: this.#deps.longTtlMs, endsByMs, replaces })
  }

  /**
   * Who calls with an access token. Counts as a use: the session's end moves.
   * @throws {AppError} `token_unknown`, `token_expired`, `user_blocked`
   */
  async authenticate(accessToken: string): Promise<Principal> {
    const { cache, nowMs } = this.#deps
    const hash = await hashToken(accessToken)
    const known = await cache.find(hash, () => this.#read(hash))
    if (!known) throw new AppError('token_unknown')
    const { session, user } = known
    if (session.expiresAtMs < nowMs()) throw new AppError('token_expired')
    if (!user.isActive) throw new AppError('user_blocked')
    await this.#use(session, user, hash)
    return toPrincipal(user, session.id)
  }

  async #read(accessHash: string): Promise<KnownSession | null> {
    const { users, sessions } = this.#deps
    const session = await sessions.find({ accessHash })
    const user = session && (await users.find(session.userId))
    return session && user && { session, user }
  }

  async #use(session: StoredSession, user: UserRecord, hash: string): Promise<void> {
    const ttlMs = this.#ttlIn(session, user)
    const isChanged = ttlMs !== session.ttlMs
    const expiresAtMs = endOf(this.#deps.nowMs() + ttlMs, session.endsByMs)
    const isMoved = expiresAtMs - session.expiresAtMs >= Math.min(ttlMs * writtenShare, writtenMs)
    if (!isChanged && !isMoved && session.replaces === null) return
    // A clock that was set back must not shorten a session; a change of role may.
    const endMs = isChanged ? expiresAtMs : Math.max(expiresAtMs, session.expiresAtMs)
    try {
      await this.#deps.sessions.use(session, { ttlMs, expiresAtMs: endMs })
      // Its first use has ended the session that it replaces.
      if (session.replaces === null) this.#deps.cache.forget(hash)
      else this.#deps.cache.forgetAll()
    } catch (error) {
      this.#deps.onUseFailed(error)
    }
  }

  #begin(
    user: UserRecord,
    program: string | null,
    { endsByMs, checked }: { endsByMs: number | null; checked: Credentials | null },
  ): Promise<IssuedSession> {
    const name = program?.slice(0, programLengthMax).trim() || null
    return this.#issue(user, { name, ttlMs: this.#ttlOf(user), endsByMs, replaces: null }, checked)
  }

  /** @param checked what a sign-in was checked against */
  async #issue(
    user: UserRecord,
    { name, ttlMs, endsByMs, replaces }: Pick<StoredSession, 'name' | 'ttlMs' | 'endsByMs' | 'replaces'>,
    checked: Credentials | null = null,
  ): Promise<IssuedSession> {
    if (!user.isActive) throw new AppError('user_blocked')
    const { sessions, secret, randomBytes, randomId, nowMs } = this.#deps
    const createdAtMs = nowMs()
    const expiresAtMs = endOf(createdAtMs + ttlMs, endsByMs)
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
    const number = await sessions.insert(
      {
        id: sessionId,
        userId: user.id,
        name,
        accessHash: await hashToken(accessToken),
        expireHash: await hashToken(expireToken),
        ttlMs,
        expiresAtMs,
        endsByMs,
        replaces,
        createdAtMs,
      },
      checked,
    )
    return { user, sessionId, number, accessToken, expireToken, expiresAtMs }
  }

  /** Lifetime of a session. An operator's session may be that of a service token; for others the current role decides. */
  #ttlIn(session: StoredSession, user: UserRecord): number {
    return user.type === 'OPERATOR' ? session.ttlMs : this.#ttlOf(user)
  }

  /** Lifetime after a sign-in. */
  #ttlOf({ type }: UserRecord): number {
    return type === 'CLIENT_SERVICE' ? this.#deps.longTtlMs : this.#deps.ttlMs
  }
}
