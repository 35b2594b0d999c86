/** Which changes to users are allowed, and to whom. */
import { AppError, missingMember } from '../errors.ts'
import { allStartFlags, findScope, isWithin, type StartFlags } from '../identity/permissions.ts'
import type { Principal } from '../identity/principal.ts'
import { isSystemRole, resolveUserType, type UserType, userTypes } from '../identity/roles.ts'
import type { UserRecord } from '../records/account.ts'
import type { Metadata } from '../records/medium.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'

/** Requested fields of a user; missing ones stay unchanged. */
export interface WantedUser {
  companyId?: string | null
  /** A role by name (API 6) or by flags (API 5). */
  role: { user_type?: string | undefined; is_admin?: boolean | undefined; is_service?: boolean | undefined }
  /** By which the user signs in; in lower case. */
  email?: string
  names: { firstName?: string | null; lastName?: string | null; middleName?: string | null }
  startFlags: Partial<StartFlags>
  isActive?: boolean
  metadata?: Metadata
}

function forbid(place: string, expected: string): never {
  throw new AppError('forbidden', undefined, { details: { key_path: place, expected }, place })
}

/** The members of requests that grant the start of each type of analysis. */
const flagNames: Readonly<Record<keyof StartFlags, string>> = {
  verification: 'can_start_analysis_biometry',
  identification: 'can_start_analysis_collection',
  documents: 'can_start_analysis_documents',
  liveness: 'can_start_analysis_quality',
}

/** Where requests have the members of a new user; changes have them at the top. */
const inProfile = 'profile.'

/** Only an administrator may assign the roles that see every company. */
function checkRole(actor: Principal, type: UserType, at: string): void {
  if (!isSystemRole(type) || actor.userType === 'ADMIN') return
  const allowed = userTypes.filter((userType) => !isSystemRole(userType))
  forbid(`${at}user_type`, `one of ${allowed.join(', ')}`)
}

type WantedFlags = WantedUser['startFlags']

/**
 * Only an administrator may grant a start flag that it does not have itself. A CLIENT_ADMIN that lost a flag can neither
 * restore it nor give it to another user.
 */
function checkFlags(
  { userType, startFlags }: Principal,
  before: WantedFlags,
  wanted: WantedFlags,
  at: string,
): void {
  if (userType === 'ADMIN') return
  const types = Object.keys(wanted) as (keyof WantedFlags)[]
  const refused = types.find((type) => wanted[type] && !before[type] && !startFlags[type])
  if (refused) forbid(at + flagNames[refused], 'false: you do not have this right yourself')
}

async function resolveCompany(
  actor: Principal,
  type: UserType,
  wanted: string | null,
  at: string,
  companies: CompanyStore,
): Promise<string> {
  const place = `${at}company_id`
  if (isSystemRole(type)) {
    const system = await companies.system()
    if (!system) throw new TypeError('the system company is made at start')
    return system.id
  }
  const companyId = wanted ?? (actor.userType === 'ADMIN' ? null : actor.companyId)
  if (companyId === null) throw missingMember(place)
  const scope = findScope(actor.userType, 'user', 'create')
  if (!isWithin(scope, actor, { companyId, userId: actor.userId })) forbid(place, 'your own company')
  const company = await companies.find(companyId)
  if (!company || company.inDeletion || company.isSystem)
    throw new AppError('value_invalid', 'There is no such company', {
      details: { key_path: place },
      place,
    })
  return companyId
}

/** @throws {AppError} `forbidden` (also for a start flag that the caller lacks), `structure_invalid` without a company, `value_invalid` for an unknown role or company */
export async function createUserRecord(
  actor: Principal,
  wanted: WantedUser,
  base: { id: string; email: string; nowMs: number },
  companies: CompanyStore,
): Promise<UserRecord> {
  const type = resolveUserType(wanted.role, undefined, inProfile)
  checkRole(actor, type, inProfile)
  checkFlags(actor, {}, wanted.startFlags, inProfile)
  const { id, email, nowMs } = base
  const flagsAtFirst = actor.userType === 'ADMIN' ? allStartFlags : actor.startFlags
  return {
    id,
    email,
    type,
    companyId: await resolveCompany(actor, type, wanted.companyId ?? null, inProfile, companies),
    firstName: wanted.names.firstName ?? null,
    lastName: wanted.names.lastName ?? null,
    middleName: wanted.names.middleName ?? null,
    startFlags: { ...flagsAtFirst, ...wanted.startFlags },
    isActive: wanted.isActive ?? true,
    hasSecondFactor: false,
    isLinked: false,
    metadata: wanted.metadata ?? {},
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/**
 * A user who may change only itself may change names and metadata, but nothing that extends its rights, and not the e-mail: with a
 * stolen token somebody else would take the account over for good.
 */
function applySelfChange(user: UserRecord, wanted: WantedUser, nowMs: number): UserRecord {
  const { companyId, role, startFlags, isActive, email } = wanted
  const [flag] = Object.keys(startFlags) as (keyof StartFlags)[]
  const refused: readonly [string, boolean][] = [
    ['email', email !== undefined && email !== user.email],
    ['company_id', companyId !== undefined],
    ['is_active', isActive !== undefined],
    [flag ? flagNames[flag] : '', flag !== undefined],
    ...(['user_type', 'is_admin', 'is_service'] as const).map((name): [string, boolean] => [
      name,
      role[name] !== undefined,
    ]),
  ]
  const [place] = refused.find(([, isSent]) => isSent) ?? []
  if (place) forbid(place, 'a change of your names or metadata')
  return { ...user, ...wanted.names, metadata: wanted.metadata ?? user.metadata, updatedAtMs: nowMs }
}

/**
 * @param isSelfOnly whether the caller may change only itself
 * @throws {AppError} as `createUserRecord`; `not_allowed` for a caller who would lock itself out
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
  checkRole(actor, type, '')
  checkFlags(actor, user.startFlags, wanted.startFlags, '')
  const isMoved =
    type !== user.type || (wanted.companyId !== undefined && wanted.companyId !== user.companyId)
  const isSelf = user.id === actor.userId
  if (isSelf && (wanted.isActive === false || type !== user.type))
    throw new AppError('not_allowed', 'Users cannot remove their own access')
  const keptCompany = isSystemRole(user.type) ? null : user.companyId
  return {
    ...user,
    ...wanted.names,
    email: wanted.email ?? user.email,
    type,
    companyId: isMoved
      ? await resolveCompany(actor, type, wanted.companyId ?? keptCompany, '', companies)
      : user.companyId,
    startFlags: { ...user.startFlags, ...wanted.startFlags },
    isActive: wanted.isActive ?? user.isActive,
    metadata: wanted.metadata ?? user.metadata,
    updatedAtMs: nowMs,
  }
}
