/** What a caller may do with which objects. Checks the permission table and records the result in types. */
import { AppError } from '../errors.ts'
import {
  type Action,
  findMetadataScope,
  findScope,
  isWithin,
  mayStart,
  type Owner,
  type Resource,
  type Scope,
  type StartableType,
} from './permissions.ts'
import type { Principal } from './principal.ts'
import { type UserType, userTypes } from './roles.ts'

/** What is done with an object. Writing metadata has a rule of its own. */
export type Use = Action | 'metadata'

declare const grant: unique symbol

/**
 * An object that the caller may use in one way, such as `delete folder`. Only `Authority` creates it, so a route that
 * forgets the check cannot call a service that requires it.
 */
export type Authorized<T, Grant extends `${Use} ${Resource}`> = T & { readonly [grant]: Grant }

/** Limits a list to the objects of a company or user; `{}` for no limit. */
export interface ListScope {
  companyId?: string
  userId?: string
}

/** The company and the user that new objects belong to. */
export interface Creator {
  companyId: string
  userId: string
}

const scopeOf = (userType: UserType, use: Use, resource: Resource): Scope | null =>
  use === 'metadata' ? findMetadataScope(userType, resource) : findScope(userType, resource, use)

const foreignCompany = (member: string): AppError =>
  new AppError('forbidden', undefined, {
    details: { key_path: member, expected: 'your own company' },
    place: member,
  })

// The only place that creates the brand; every caller has checked the table before.
const authorize = <T, Grant extends `${Use} ${Resource}`>(object: T) => object as Authorized<T, Grant>

/**
 * The rights of one caller. A role without the permission is refused; an object out of scope counts as missing.
 * @example
 * ```ts
 * import { Authority } from './authority.ts'
 *
 * const startFlags = { verification: true, identification: true, documents: true, liveness: true }
 * const principal = { userId: 'user-1', companyId: 'company-1', userType: 'CLIENT_ADMIN', startFlags } as const
 * const authority = new Authority({ ...principal, sessionId: null })
 *
 * const find = async () => ({ id: 'folder-1', companyId: 'company-1', userId: 'user-2' })
 * const folder = await authority.require('delete', 'folder', find, (found) => found)
 * folder.id // → 'folder-1'
 * const elsewhere = async () => ({ id: 'folder-2', companyId: 'company-2', userId: 'user-3' })
 * await authority.require('delete', 'folder', elsewhere, (found) => found).catch(({ code }) => code) // → 'not_found'
 * ```
 */
export class Authority {
  readonly principal: Principal

  constructor(principal: Principal) {
    this.principal = principal
  }

  /**
   * The scope of objects that the caller may use in this way.
   * @throws {AppError} `forbidden`
   */
  scope(use: Use, resource: Resource): Scope {
    const scope = scopeOf(this.principal.userType, use, resource)
    if (scope === null) throw this.#refusal(use, resource)
    return scope
  }

  /**
   * Finds an object that the caller may use in this way. The role is checked before the object is read.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async require<T extends object, U extends Use, R extends Resource>(
    use: U,
    resource: R,
    find: () => Promise<T | null>,
    ownerOf: (object: T) => Owner,
  ): Promise<Authorized<T, `${U} ${R}`>> {
    const scope = this.scope(use, resource)
    const object = await find()
    if (object === null || !isWithin(scope, this.principal, ownerOf(object)))
      throw new AppError('not_found', '', { details: { object: resource } })
    return authorize<T, `${U} ${R}`>(object)
  }

  /** Whether the caller may read an object that is shown along with another one. */
  maySee(resource: Resource, owner: Owner): boolean {
    return isWithin(findScope(this.principal.userType, resource, 'read'), this.principal, owner)
  }

  /**
   * The owner of a new object of the caller.
   * @throws {AppError} `forbidden`, also for a caller without a company
   */
  creator<R extends Resource>(resource: R): Authorized<Creator, `create ${R}`> {
    this.scope('create', resource)
    const { companyId, userId } = this.principal
    if (companyId === null) throw this.#refusal('create', resource)
    return authorize<Creator, `create ${R}`>({ companyId, userId })
  }

  /**
   * The company that a call is made for: the named one, or the caller's own; `null` if neither.
   * @param header where the call names it
   * @throws {AppError} `forbidden` for another company than the caller's, except for ADMIN; the same whether it exists or not
   */
  callingFor(named: string | null, header: string): string | null {
    const { userType, companyId } = this.principal
    if (named !== null && named !== companyId && userType !== 'ADMIN') throw foreignCompany(header)
    return named ?? companyId
  }

  /**
   * The company of a new object: the named one, or the caller's own.
   * @throws {AppError} `forbidden`, also for a caller without a company
   */
  companyFor<R extends Resource>(
    resource: R,
    named: string | null,
  ): Authorized<{ companyId: string }, `create ${R}`> {
    const scope = this.scope('create', resource)
    const { userId } = this.principal
    const companyId = named ?? this.principal.companyId
    if (companyId === null) throw this.#refusal('create', resource)
    if (!isWithin(scope, this.principal, { companyId, userId })) throw foreignCompany('company_id')
    return authorize<{ companyId: string }, `create ${R}`>({ companyId })
  }

  /**
   * The part of a list that the caller may see.
   * @throws {AppError} `forbidden`, also for a caller without a company
   */
  list<R extends Resource>(resource: R): Authorized<ListScope, `read ${R}`> {
    const scope = this.scope('read', resource)
    if (scope === 'all') return authorize<ListScope, `read ${R}`>({})
    const { companyId, userId } = this.principal
    if (companyId === null) throw this.#refusal('read', resource)
    return authorize<ListScope, `read ${R}`>(scope === 'company' ? { companyId } : { companyId, userId })
  }

  mayStart(type: StartableType): boolean {
    return mayStart(this.principal, type)
  }

  /** @throws {AppError} `forbidden` for types of analyses that the user may not start */
  requireStarts(requests: readonly { type: StartableType }[]): void {
    const index = requests.findIndex(({ type }) => !this.mayStart(type))
    if (index < 0) return
    const place = `analyses.${index}.type`
    const details = { key_path: place, expected: 'a type that this user may start' }
    throw new AppError('forbidden', undefined, { details, place })
  }

  /**
   * Says what the role may not do, and who may; or, if the role may, that the user needs a company. It depends on the caller alone, so
   * it tells nothing of any object.
   */
  #refusal(use: Use, resource: Resource): AppError {
    const { userType } = this.principal
    const allowed = userTypes.filter((type) => scopeOf(type, use, resource) !== null)
    const isAllowed = allowed.includes(userType)
    const expected = isAllowed ? 'a user of a company' : `a user of type ${allowed.join(' or ')}`
    const details = { object: resource, action: use, user_type: userType, expected }
    return new AppError('forbidden', undefined, { details })
  }
}
