/** What may be made of a user, and by whom. */
import { AppError } from '../errors.ts'
import { allStartFlags, type StartFlags } from '../identity/permissions.ts'
import type { Principal } from '../identity/principal.ts'
import { isSystemRole, resolveUserType, type UserType } from '../identity/roles.ts'
import type { UserRecord } from '../records/account.ts'
import type { Metadata } from '../records/medium.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'

/** Fields of a user as they were asked for; absent ones stay as they are. */
export interface WantedUser {
  companyId?: string | null
  /** A role by name (API 6) or by flags (API 5). */
  role: { user_type?: string | undefined; is_admin?: boolean | undefined; is_service?: boolean | undefined }
  names: { firstName?: string | null; lastName?: string | null; middleName?: string | null }
  startFlags: Partial<StartFlags>
  isActive?: boolean
  metadata?: Metadata
}

const forbid = (): never => {
  throw new AppError('forbidden')
}

/** Nobody but an administrator gives out the roles that see every company. */
function checkRole(actor: Principal, type: UserType): void {
  if (isSystemRole(type) && actor.userType !== 'ADMIN') forbid()
}

type WantedFlags = WantedUser['startFlags']

/**
 * Nobody but an administrator gives a right to start that it does not have itself: what an administrator took from a
 * CLIENT_ADMIN comes back neither by its own hand nor through another user of its making.
 */
function checkFlags({ userType, startFlags }: Principal, before: WantedFlags, wanted: WantedFlags): void {
  if (userType === 'ADMIN') return
  const types = Object.keys(wanted) as (keyof WantedFlags)[]
  if (types.some((type) => wanted[type] && !before[type] && !startFlags[type])) forbid()
}

async function resolveCompany(
  actor: Principal,
  type: UserType,
  wanted: string | null,
  companies: CompanyStore,
): Promise<string> {
  if (isSystemRole(type)) {
    const system = await companies.system()
    if (!system) throw new TypeError('the system company is made at start')
    return system.id
  }
  const companyId = wanted ?? (actor.userType === 'ADMIN' ? null : actor.companyId)
  if (companyId === null) {
    throw new AppError(
      'structure_invalid',
      'Could not locate field for key_path company_id from provided dict data',
      {
        details: { key_path: 'company_id' },
      },
    )
  }
  if (actor.userType !== 'ADMIN' && companyId !== actor.companyId) forbid()
  const company = await companies.find(companyId)
  if (!company || company.inDeletion || company.isSystem)
    throw new AppError('value_invalid', 'There is no such company', { details: { key_path: 'company_id' } })
  return companyId
}

/** @throws {AppError} `forbidden` (also for a start flag that the caller lacks), `structure_invalid` without a company, `value_invalid` for an unknown role or company */
export async function createUserRecord(
  actor: Principal,
  wanted: WantedUser,
  base: { id: string; email: string; nowMs: number },
  companies: CompanyStore,
): Promise<UserRecord> {
  const type = resolveUserType(wanted.role)
  checkRole(actor, type)
  checkFlags(actor, {}, wanted.startFlags)
  const { id, email, nowMs } = base
  const flagsAtFirst = actor.userType === 'ADMIN' ? allStartFlags : actor.startFlags
  return {
    id,
    email,
    type,
    companyId: await resolveCompany(actor, type, wanted.companyId ?? null, companies),
    firstName: wanted.names.firstName ?? null,
    lastName: wanted.names.lastName ?? null,
    middleName: wanted.names.middleName ?? null,
    startFlags: { ...flagsAtFirst, ...wanted.startFlags },
    isActive: wanted.isActive ?? true,
    metadata: wanted.metadata ?? {},
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** A user who may change itself alone changes its names and metadata, and nothing that widens what it may do. */
function applySelfChange(user: UserRecord, wanted: WantedUser, nowMs: number): UserRecord {
  const { companyId, role, startFlags, isActive } = wanted
  const asksForMore =
    companyId !== undefined ||
    isActive !== undefined ||
    Object.keys(startFlags).length > 0 ||
    Object.values(role).some((value) => value !== undefined)
  if (asksForMore) forbid()
  return { ...user, ...wanted.names, metadata: wanted.metadata ?? user.metadata, updatedAtMs: nowMs }
}

/**
 * @param isSelfOnly whether the caller's reach ends at itself
 * @throws {AppError} as `newUser`; `not_allowed` for an administrator who would shut itself out
 */
export async function applyUserChange(
  actor: Principal,
  user: UserRecord,
  wanted: WantedUser,
  isSelfOnly: boolean,
  nowMs: number,
  companies: CompanyStore,
): Promise<UserRecord> {
  if (isSelfOnly) return applySelfChange(user, wanted, nowMs)
  const type = resolveUserType(wanted.role, user.type)
  checkRole(actor, type)
  checkFlags(actor, user.startFlags, wanted.startFlags)
  const isMoved =
    type !== user.type || (wanted.companyId !== undefined && wanted.companyId !== user.companyId)
  const isSelf = user.id === actor.userId
  if (isSelf && (wanted.isActive === false || type !== user.type))
    throw new AppError('not_allowed', 'Nobody takes away their own access')
  const keptCompany = isSystemRole(user.type) ? null : user.companyId
  return {
    ...user,
    ...wanted.names,
    type,
    companyId: isMoved
      ? await resolveCompany(actor, type, wanted.companyId ?? keptCompany, companies)
      : user.companyId,
    startFlags: { ...user.startFlags, ...wanted.startFlags },
    isActive: wanted.isActive ?? user.isActive,
    metadata: wanted.metadata ?? user.metadata,
    updatedAtMs: nowMs,
  }
}
