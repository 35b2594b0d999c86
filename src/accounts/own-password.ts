/** Asks users for their own password, before what a page that was left open should not let others do. */
import { AppError } from '../errors.ts'
import { MissLimit } from '../identity/miss-limit.ts'
import { type ScryptFor, verifyPassword } from '../identity/passwords.ts'
import type { Caller } from '../queue/caller.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'

/** Wrong passwords per user, so that a token cannot be used to guess the password. */
const rule = { missesMax: 10, windowMs: 15 * 60_000 }

interface OwnPasswordDeps {
  users: UserStore
  scryptFor: ScryptFor
  monotonicMs(): number
}

export class OwnPassword {
  readonly #deps: OwnPasswordDeps
  readonly #limit: MissLimit

  constructor(deps: OwnPasswordDeps) {
    this.#deps = deps
    this.#limit = new MissLimit(rule, deps.monotonicMs)
  }

  /**
   * @param place where the request has it
   * @throws {AppError} `value_invalid` with `wrong` if it is not the user's, `throttled` after too many wrong ones
   */
  async check(
    userId: string,
    password: string,
    { place, wrong }: { place: string; wrong: string },
    caller: Caller,
  ): Promise<void> {
    const { users, scryptFor } = this.#deps
    const isWrong = await this.#limit.attempt(userId, async () => {
      const known = await users.credentials({ id: userId })
      return !(await verifyPassword(password, known?.passwordHash ?? null, scryptFor(caller)))
    })
    if (isWrong) throw new AppError('value_invalid', wrong, { details: { key_path: place }, place })
  }
}
