/** Sign-in with a limit for wrong passwords, refresh and sign-out. */
import { AppError, hasCode } from '../errors.ts'
import { hashToken } from '../identity/access-token.ts'
import type { Authority } from '../identity/authority.ts'
import type { SignInLimit } from '../identity/sign-in-limit.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import { type IssuedSession, type Sessions, takesServiceToken } from './sessions.ts'

export interface SignInDeps {
  sessions: Sessions
  users: UserStore
  limit: SignInLimit
}

function refuseFor(waitS: number): void {
  if (waitS > 0) throw new AppError('throttled', undefined, { retryAfterS: waitS })
}

export class SignIn {
  readonly #deps: SignInDeps

  constructor(deps: SignInDeps) {
    this.#deps = deps
  }

  /**
   * Signs a user in. Wrong passwords are counted; addresses with right ones are remembered. A password counts as wrong while it
   * is checked, so that simultaneous guesses reveal no more than successive ones.
   * @throws {AppError} `throttled` after too many wrong passwords, and as `Sessions.signIn`
   */
  async signIn(email: string, password: string, address: string): Promise<IssuedSession> {
    const { sessions, limit } = this.#deps
    const account = await hashToken(email.toLowerCase())
    refuseFor(limit.waitS(account, address))
    let isCounted = false
    let isWrong = false
    const count = (): void => {
      refuseFor(limit.begin(account, address))
      isCounted = true
    }
    try {
      const session = await sessions.signIn(email, password, limit.identifyCaller(account, address), count)
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
   * A token for a machine account, or for the caller itself.
   * @throws {AppError} `forbidden`, `not_found`, `value_invalid` for accounts that sign in
   */
  async issueServiceToken(authority: Authority, userId: string): Promise<IssuedSession> {
    authority.scope('create', 'service_token')
    const { users, sessions } = this.#deps
    const user = await users.find(userId)
    if (!user) throw new AppError('not_found', undefined, { details: { object: 'user' } })
    if (!takesServiceToken(user) && userId !== authority.principal.userId)
      throw new AppError('value_invalid', 'Service tokens are for users of type CLIENT_SERVICE or OPERATOR')
    return sessions.issueServiceToken(user)
  }
}
