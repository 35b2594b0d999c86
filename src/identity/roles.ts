/** Roles of users, and how callers of API 5 name them. */
import { AppError } from '../errors.ts'

export const userTypes = [
  'ADMIN',
  'OPERATOR',
  'CLIENT',
  'CLIENT_ADMIN',
  'CLIENT_OPERATOR',
  'CLIENT_SERVICE',
] as const
export type UserType = (typeof userTypes)[number]

/** Roles of the system company, which see every company. */
export const isSystemRole = (userType: UserType): boolean => userType === 'ADMIN' || userType === 'OPERATOR'

/** A user's role as a caller gives it: by name (API 6, any case) or by flags (API 5). */
export interface WantedRole {
  user_type?: string | undefined
  is_admin?: boolean | undefined
  is_service?: boolean | undefined
}

function parseRole(name: string): UserType {
  const found = userTypes.find((userType) => userType === name.toUpperCase())
  if (!found) throw new AppError('value_invalid', 'Invalid param value', { details: 'user_type' })
  return found
}

/**
 * Role a user gets. A name counts before flags. Of the two flags `is_service` counts first, because a machine needs no
 * right to manage users. Flags say nothing about the system roles; a flag that is false takes back its own role only.
 * @param current role the user has so far
 * @throws {AppError} `value_invalid` for a name that is no role
 */
export function resolveUserType(wanted: WantedRole, current: UserType = 'CLIENT'): UserType {
  if (wanted.user_type !== undefined) return parseRole(wanted.user_type)
  if (isSystemRole(current)) return current
  if (wanted.is_service) return 'CLIENT_SERVICE'
  if (wanted.is_admin) return 'CLIENT_ADMIN'
  const isTakenBack =
    (current === 'CLIENT_SERVICE' && wanted.is_service === false) ||
    (current === 'CLIENT_ADMIN' && wanted.is_admin === false)
  return isTakenBack ? 'CLIENT' : current
}
