/** Switches the second factor of users on and off. */
import { AppError, missingMember } from '../errors.ts'
import type { Authority } from '../identity/authority.ts'
import { MissLimit } from '../identity/miss-limit.ts'
import type { RandomBytes } from '../identity/passwords.ts'
import { newSecret, secretAddress, stepOfCode } from '../identity/second-factor.ts'
import type { Caller } from '../queue/caller.ts'
import type { UserRecord } from '../records/account.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import type { OwnPassword } from './own-password.ts'
import type { UserService } from './user-service.ts'

interface SecondFactorDeps {
  users: UserStore
  service: UserService
  ownPassword: OwnPassword
  randomBytes: RandomBytes
  nowMs(): number
  monotonicMs(): number
  /** Called when sessions have ended, or a user was changed. */
  onChanged(): void
}

/** Wrong codes per user: a million codes there are. */
const codesRule = { missesMax: 10, windowMs: 15 * 60_000 }

const onlySelf = 'Only users themselves can switch on their second factor'
const ownPassword = { place: 'password', wrong: 'The password is wrong' }

export class SecondFactors {
  readonly #deps: SecondFactorDeps
  readonly #codes: MissLimit

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps
    this.#codes = new MissLimit(codesRule, deps.monotonicMs)
  }

  /**
   * A new secret for the caller's app. It is in force once a code of it was sent to `change`; until then each call replaces it.
   * @param readPassword reads the request; called once the caller's rights are checked
   * @throws {AppError} `forbidden`, `not_found`, `not_allowed` for other users than the caller and while a second factor is in force, and
   *   as `OwnPassword.check`
   */
  async offer(
    authority: Authority,
    id: string,
    readPassword: () => Promise<string>,
    caller: Caller,
  ): Promise<{ secret: string; address: string }> {
    const { users, service, randomBytes } = this.#deps
    const isSelf = id === authority.principal.userId
    const user = await service.findManaged(authority, id)
    if (!isSelf) throw new AppError('not_allowed', onlySelf)
    await this.#deps.ownPassword.check(id, await readPassword(), ownPassword, caller)
    const secret = newSecret(randomBytes)
    if (!(await users.offerSecondFactor(id, secret)))
      throw new AppError('not_allowed', 'There is a second factor: switch it off first')
    return { secret, address: secretAddress(secret, user.email) }
  }

  /**
   * Users switch their own on and off by a code. Callers who may change the user switch it off without one, for people who lost
   * their app.
   * @param readChange reads the request; called once the caller's rights are checked
   * @throws {AppError} `forbidden`, `not_found`, `structure_invalid` without a code, `value_invalid` for a wrong one or for switching
   *   on that of another user, `throttled` after too many wrong ones, `not_allowed` without a secret
   */
  async change(
    authority: Authority,
    id: string,
    readChange: () => Promise<{ isActive: boolean; code: string | null }>,
  ): Promise<UserRecord> {
    const { users, service, onChanged } = this.#deps
    const { userId, sessionId } = authority.principal
    const isSelf = id === userId
    const user = await service.findManaged(authority, id)
    const { isActive, code } = await readChange()
    if (isSelf && !isActive && !user.hasSecondFactor)
      throw new AppError('not_allowed', 'There is no second factor')
    if (isSelf) await this.#useCode(user, code, sessionId)
    else if (isActive)
      throw new AppError('value_invalid', onlySelf, {
        details: { key_path: 'is_active', expected: 'false' },
        place: 'is_active',
      })
    if (!isActive) await users.removeSecondFactor(id)
    onChanged()
    return { ...user, hasSecondFactor: isActive }
  }

  async #useCode({ id }: UserRecord, code: string | null, keptSessionId: string | null): Promise<void> {
    const { users, nowMs } = this.#deps
    const known = await users.credentials({ id })
    if (!known?.secondFactor) throw new AppError('not_allowed', 'There is no second factor: ask for a secret')
    if (code === null) throw missingMember('code')
    const { secondFactor } = known
    const isWrong = await this.#codes.attempt(id, async () => {
      const step = stepOfCode(code, secondFactor, nowMs())
      return step === null || !(await users.useSecondFactor(id, secondFactor, step, keptSessionId))
    })
    if (!isWrong) return
    throw new AppError('value_invalid', 'The code is wrong, or was used before', {
      details: { key_path: 'code', expected: 'the six digits that your authenticator app shows now' },
      place: 'code',
    })
  }
}
