/** Sign-in with a limit for wrong passwords, refresh and sign-out. */
import { normalizeEmail } from '../email-address.ts'
import { AppError, hasCode } from '../errors.ts'
import { hashToken } from '../identity/access-token.ts'
import type { Authority } from '../identity/authority.ts'
import { isWithin } from '../identity/permissions.ts'
import type { SignInLimit } from '../identity/sign-in-limit.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import { type GivenCredentials, type IssuedSession, type Sessions, takesServiceToken } from './sessions.ts'

interface SignInDeps {
  sessions: Sessions
  users: UserStore
  limit: SignInLimit
}

function refuseFor(waitS: number): void {
  if (waitS > 0) throw new AppError('throttled', undefined, { retryAfterS: waitS })
}

/** A refusal that is about the user of a service token, not about the caller. */
const refusedUser = (code: 'value_invalid' | 'not_allowed', message: string, expected: string): AppError =>
  new AppError(code, message, { details: { key_path: 'user_id', expected }, place: 'user_id' })

export class SignIn {
  readonly #deps: SignInDeps

  constructor(deps: SignInDeps) {
    this.#deps = deps
  }

  /**
   * Signs a user in. Wrong passwords and codes are counted; addresses with right ones are remembered. A password counts as wrong while it
   * is checked, so that simultaneous guesses reveal no more than successive ones.
   * @throws {AppError} `throttled` after too many wrong passwords, and as `Sessions.signIn`
   */
  async signIn(given: GivenCredentials, address: string): Promise<IssuedSession> {
    const { sessions, limit } = this.#deps
    const account = await hashToken(normalizeEmail(given.email))
    refuseFor(limit.waitS(account, address))
    let isCounted = false
    let isWrong = false
    const count = (): void => {
      refuseFor(limit.begin(account, address))
      isCounted = true
    }
    try {
      const session = await sessions.signIn(given, limit.identifyCaller(account, address), {
        onTurn: count,
        attemptCode: (fails) => limit.attemptCode(account, address, fails),
      })
      limit.recordSuccess(account, address)
      return session
    } catch (error) {
      isWrong = hasCode(error, 'credentials_wrong')
      // A password that no user can have is wrong without a check.
      if (isWrong && !isCounted) isCounted = limit.begin(account, address) === 0
      throw error
    } finally {
      if (isCounted && isWrong) limit.fail(account, address)
      else if (isCounted) limit.giveBack(account, address)
    }
  }

  /** @throws {AppError} as `Sessions.refresh` */
  refresh(accessToken: string, expireToken: string): Promise<IssuedSession> {
    return this.#deps.sessions.refresh(accessToken, expireToken)
  }

  /** @throws {AppError} `token_unknown` */
  signOut(accessToken: string): Promise<void> {
    return this.#deps.sessions.signOut(accessToken)
  }

  /**
   * A long-lived token of a machine account.
   * @param userId `null` for the service account that the caller must mean: itself, or the only one that is active
   * @param name as `Sessions.issueServiceToken`
   * @throws {AppError} `forbidden`, `not_found`, `value_invalid` for accounts that sign in, or if several can be meant,
   *   `not_allowed` for a deactivated user
   */
  async issueServiceToken(
    authority: Authority,
    userId: string | null,
    name: string | null,
  ): Promise<IssuedSession> {
    const scope = authority.scope('create', 'service_token')
    const { principal } = authority
    const id = userId ?? (scope === 'self' ? principal.userId : await this.#onlyServiceAccount())
    const user = await this.#deps.users.find(id)
    if (!user || !isWithin(scope, principal, { companyId: user.companyId, userId: user.id }))
      throw new AppError('not_found', undefined, { details: { object: 'user' } })
    if (!takesServiceToken(user))
      throw refusedUser(
        'value_invalid',
        'No service token for this user',
        'a user of type CLIENT_SERVICE or OPERATOR',
      )
    if (!user.isActive) throw refusedUser('not_allowed', 'The user is deactivated', 'an active user')
    return this.#deps.sessions.issueServiceToken(
      user,
      name,
      user.id === principal.userId ? principal.sessionId : null,
    )
  }

  /** The id of the only active service account. */
  async #onlyServiceAccount(): Promise<string> {
    const [first, second] = await this.#deps.users.activeServiceAccounts(2)
    if (!first) {
      const expected = 'an active user of type CLIENT_SERVICE: create one, or name a user by user_id'
      throw new AppError('not_found', undefined, { details: { object: 'user', expected } })
    }
    if (second)
      throw refusedUser(
        'value_invalid',
        'There are several service accounts: name one by user_id',
        'the id of one, as ?user_id=… or as …/service_token/{user_id}',
      )
    return first.id
  }
}
