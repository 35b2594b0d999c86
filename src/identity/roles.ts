/** Roles of users, and their names in API 5. */
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

/** Whether a role belongs to the system company. These roles see every company. */
export const isSystemRole = (userType: UserType): boolean => userType === 'ADMIN' || userType === 'OPERATOR'

/** A user's role in a request: by name (API 6, any case) or by flags (API 5). */
interface WantedRole {
  user_type?: string | undefined
  is_admin?: boolean | undefined
  is_service?: boolean | undefined
}

function parseRole(name: string, at: string): UserType {
  const found = userTypes.find((userType) => userType === name.toUpperCase())
  if (!found) {
    const expected = `one of ${userTypes.join(', ')}`
    const place = `${at}user_type`
    throw new AppError('value_invalid', `Invalid param value for '${place}': must be ${expected}`, {
      details: { key_path: place, expected },
      place,
    })
  }
  return found
}

/**
 * The new role of a user. A name takes precedence over flags. `is_service` takes precedence over `is_admin`, because a
 * machine need not manage users. Flags do not change system roles; a false flag only revokes its own role.
 * @param current the user's current role
 * @param at where the request has the members, such as `profile.`
 * @throws {AppError} `value_invalid` for an unknown role
 */
export function resolveUserType(wanted: WantedRole, current: UserType = 'CLIENT', at = ''): UserType {
  if (wanted.user_type !== undefined) return parseRole(wanted.user_type, at)
  if (isSystemRole(current)) return current
  if (wanted.is_service) return 'CLIENT_SERVICE'
  if (wanted.is_admin) return 'CLIENT_ADMIN'
  const isTakenBack =
    (current === 'CLIENT_SERVICE' && wanted.is_service === false) ||
    (current === 'CLIENT_ADMIN' && wanted.is_admin === false)
  return isTakenBack ? 'CLIENT' : current
}
