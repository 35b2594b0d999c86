/** Creates, changes and removes users, within the caller's rights. */
import { AppError, hasCode, missingMember } from '../errors.ts'
import type { Authority, Authorized, ListScope, Use } from '../identity/authority.ts'
import { MissLimit } from '../identity/miss-limit.ts'
import { checkPassword, type PasswordRules } from '../identity/password-rules.ts'
import { hashPassword, type RandomBytes, type ScryptFor } from '../identity/passwords.ts'
import type { Owner } from '../identity/permissions.ts'
import type { Caller } from '../queue/caller.ts'
import type { UserRecord } from '../records/account.ts'
import type { Listing, ListQuery } from '../records/list-query.ts'
import type { Metadata } from '../records/medium.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import type { OwnPassword } from './own-password.ts'
import { applyUserChange, createUserRecord, type WantedUser } from './user-changes.ts'

interface UserServiceDeps {
  users: UserStore
  companies: CompanyStore
  ownPassword: OwnPassword
  scryptFor: ScryptFor
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
  monotonicMs(): number
  passwordRules: PasswordRules
  /** Called when a user was changed or removed, or a password set. */
  onChanged(): void
}

interface NewUser {
  email: string
  password: string
  wanted: WantedUser
}

/** How many e-mails of other companies' users a company may find to be taken, per hour. */
const foreignAddressesRule = { missesMax: 20, windowMs: 3600_000 }

const ownerOf = ({ id, companyId }: UserRecord): Owner => ({ companyId, userId: id })

const oldPassword = { place: 'old_password', wrong: 'The old password is wrong' }

const linkedUser = () =>
  new AppError('not_allowed', 'Your organisation signs you in: there is no password to change')

export class UserService {
  readonly #deps: UserServiceDeps
  readonly #foreignAddresses: MissLimit

  constructor(deps: UserServiceDeps) {
    this.#deps = deps
    this.#foreignAddresses = new MissLimit(foreignAddressesRule, deps.monotonicMs)
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends Use>(authority: Authority, use: U, id: string) {
    return authority.require(use, 'user', () => this.#deps.users.find(id), ownerOf)
  }

  /** For what users do with their own account, and callers with those that they may change. @throws {AppError} `forbidden`, `not_found` */
  findManaged(authority: Authority, id: string) {
    return this.find(authority, id === authority.principal.userId ? 'read' : 'update', id)
  }

  /** @throws {AppError} `not_found` if the caller is not a user, or was removed */
  async self({ principal }: Authority): Promise<UserRecord> {
    const user = await this.#deps.users.find(principal.userId)
    if (!user) throw new AppError('not_found')
    return user
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read user'>): Promise<Listing<UserRecord>> {
    return this.#deps.users.list(query, scope)
  }

  /** The users among some ids that the caller may see, by id. */
  async findVisible(authority: Authority, ids: readonly string[]): Promise<Map<string, UserRecord>> {
    const found = [...(await this.#deps.users.findAll(ids))]
    return new Map(found.filter(([, user]) => authority.maySee('user', ownerOf(user))))
  }

  /** @throws {AppError} `forbidden`, `already_exists`, `password_weak`, `throttled`, and as `createUserRecord` */
  async create(
    authority: Authority,
    { email, password, wanted }: NewUser,
    caller: Caller,
  ): Promise<UserRecord> {
    authority.scope('create', 'user')
    const { users, companies, randomId, nowMs } = this.#deps
    const base = { id: randomId(), email, nowMs: nowMs() }
    const user = await createUserRecord(authority.principal, wanted, base, companies)
    const hash = await this.#hash(password, caller)
    await this.#claimAddress(authority, email, () => users.insert(user, hash))
    return user
  }

  /**
   * Changes fields, an e-mail, a password, or several of these. The password is checked before anything is stored.
   * @param wanted `null` to change only the password, which users may do for themselves
   * @throws {AppError} `forbidden`, `not_found`, `already_exists`, `password_weak`, `throttled`, `not_allowed` for the own password of a
   *   linked user, and as `applyUserChange`
   */
  async change(
    authority: Authority,
    id: string,
    wanted: WantedUser | null,
    password: string | null,
    caller: Caller,
  ): Promise<UserRecord> {
    const { companies, nowMs } = this.#deps
    const isSelf = id === authority.principal.userId
    const find = () => this.find(authority, isSelf && wanted === null ? 'read' : 'update', id)
    await find()
    // A hash takes long. What others change meanwhile is read after it.
    const hash = password === null ? null : await this.#hash(password, caller)
    const user = await find()
    if (hash !== null && isSelf && user.isLinked) throw linkedUser()
    const isSelfOnly = wanted !== null && authority.scope('update', 'user') === 'self'
    const changed =
      wanted === null
        ? user
        : await applyUserChange(authority.principal, user, wanted, isSelfOnly, nowMs(), companies)
    if (changed.email === user.email) await (wanted && this.#update(changed, user))
    else await this.#claimAddress(authority, changed.email, () => this.#update(changed, user))
    if (hash !== null) await this.#setPassword(authority, user, hash)
    return changed
  }

  /**
   * Changes a password. Users need the old one for themselves; callers who may change the user do not.
   * @param readChange reads the request; called once the caller's rights are checked
   * @throws {AppError} `forbidden`, `not_found`, `structure_invalid` without the old password, `value_invalid` for a wrong
   *   one, `throttled` after too many wrong ones, `password_weak`
   */
  async changePassword(
    authority: Authority,
    id: string,
    readChange: () => Promise<{ password: string; old: string | null }>,
    caller: Caller,
  ): Promise<UserRecord> {
    const isSelf = id === authority.principal.userId
    const user = await this.findManaged(authority, id)
    const { password, old } = await readChange()
    if (isSelf && old === null) throw missingMember(oldPassword.place)
    if (isSelf && old !== null) await this.#deps.ownPassword.check(id, old, oldPassword, caller)
    await this.#setPassword(authority, user, await this.#hash(password, caller))
    return user
  }

  changeMetadata(
    { id }: Authorized<UserRecord, 'metadata user'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    return this.#deps.users.changeMetadata(id, change, this.#deps.nowMs())
  }

  /** @throws {AppError} `not_allowed` for the caller itself */
  async remove(authority: Authority, { id }: Authorized<UserRecord, 'delete user'>): Promise<void> {
    if (id === authority.principal.userId)
      throw new AppError('not_allowed', 'Users cannot remove their own access')
    await this.#deps.users.delete(id)
    this.#deps.onChanged()
  }

  async #setPassword({ principal }: Authority, { id }: UserRecord, hash: string): Promise<void> {
    const keptSession = id === principal.userId ? principal.sessionId : null
    const isSet = await this.#deps.users.setPassword(id, hash, keptSession)
    if (!isSet && keptSession !== null) throw linkedUser()
    this.#deps.onChanged()
  }

  async #update(changed: UserRecord, user: UserRecord): Promise<void> {
    await this.#deps.users.update(changed, user)
    this.#deps.onChanged()
  }

  #hash(password: string, caller: Caller): Promise<string> {
    const { passwordRules, scryptFor, randomBytes } = this.#deps
    checkPassword(password, passwordRules)
    return hashPassword(password, scryptFor(caller), randomBytes)
  }

  /** An e-mail that is taken reveals a user of another company to a CLIENT_ADMIN, so these attempts are limited. */
  async #claimAddress({ principal }: Authority, email: string, write: () => Promise<void>): Promise<void> {
    const { users } = this.#deps
    const { userType, companyId } = principal
    if (userType === 'ADMIN' || companyId === null) return write()
    let refusal: unknown = null
    await this.#foreignAddresses.attempt(companyId, async () => {
      try {
        await write()
        return false
      } catch (error) {
        refusal = error
        if (!hasCode(error, 'already_exists')) return false
        return (await users.credentials({ email }))?.user.companyId !== companyId
      }
    })
    if (refusal !== null) throw refusal
  }
}
