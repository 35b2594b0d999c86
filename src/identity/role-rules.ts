/** Roles of people by what the identity provider of their organisation says about them. */
import type { Settings } from '../settings.ts'
import type { UserType } from './roles.ts'

type RoleRule = Settings['oidcRoles'][number]

const byStrength: readonly UserType[] = ['ADMIN', 'OPERATOR', 'CLIENT_ADMIN', 'CLIENT_OPERATOR', 'CLIENT']

/**
 * The strongest role that a claim gives; `null` for none.
 * @param claim a text or a list of texts; anything else gives nothing
 * @example
 * ```ts
 * import { readSettings } from '../settings.ts'
 * import { findRole } from './role-rules.ts'
 *
 * const { oidcRoles } = readSettings({
 *   SVC_OIDC_ISSUER: 'https://id.example',
 *   SVC_OIDC_CLIENT_ID: 'vivace',
 *   SVC_OIDC_ROLES: 'staff=OPERATOR,face-admins=ADMIN',
 * })
 * findRole(['staff', 'face-admins'], oidcRoles)?.role // → 'ADMIN'
 * findRole(['guests'], oidcRoles) // → null
 * ```
 */
export function findRole(claim: unknown, rules: readonly RoleRule[]): RoleRule | null {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const given = rules.filter(({ value }) => values.includes(value))
  return byStrength.flatMap((wanted) => given.filter(({ role }) => role === wanted))[0] ?? null
}
