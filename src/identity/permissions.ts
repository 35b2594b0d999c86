/** Who may do what: one table, read by the routes, the documentation and the tests. */
import { type UserType, userTypes } from './roles.ts'

export const actions = ['create', 'read', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

/**
 * Whose objects: of every company; of the actor's company; the actor's own within it (a folder and what is in it belongs
 * to its creator); the actor itself.
 */
export type Scope = 'all' | 'company' | 'own' | 'self'

/** First letters of the allowed actions, and on whose objects. */
type Grant = `${'c' | 'r' | 'u' | 'cr' | 'ru' | 'cru' | 'crd' | 'crud'} ${Scope}`

/**
 * The table. What is not granted is refused. `decision` is an operator's decision on an analysis or folder, which the
 * analysis itself does not offer as `update`; `person` includes the images of a person.
 */
export const permissions = {
  company: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'r company',
    CLIENT_SERVICE: 'r company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'ru company',
  },
  user: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'ru self',
    CLIENT_SERVICE: 'r self',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  folder: {
    ADMIN: 'crud all',
    OPERATOR: 'ru all',
    CLIENT: 'cru own',
    CLIENT_SERVICE: 'cru company',
    CLIENT_OPERATOR: 'ru company',
    CLIENT_ADMIN: 'crud company',
  },
  media: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'cru own',
    CLIENT_SERVICE: 'cru company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  analysis: {
    ADMIN: 'crd all',
    OPERATOR: 'r all',
    CLIENT: 'cr own',
    CLIENT_SERVICE: 'cr company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crd company',
  },
  decision: {
    OPERATOR: 'u all',
    CLIENT_OPERATOR: 'u company',
  },
  collection: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'r company',
    CLIENT_SERVICE: 'r company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  person: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'r company',
    CLIENT_SERVICE: 'cr company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  report: {
    ADMIN: 'crud all',
    OPERATOR: 'cr all',
    CLIENT: 'cr own',
    CLIENT_SERVICE: 'cr company',
    CLIENT_OPERATOR: 'cr company',
    CLIENT_ADMIN: 'crud company',
  },
  report_template: {
    ADMIN: 'crud all',
    OPERATOR: 'r all',
    CLIENT: 'r company',
    CLIENT_SERVICE: 'r company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  service_token: {
    ADMIN: 'c all',
  },
  session_token: {
    ADMIN: 'c all',
    CLIENT: 'c company',
    CLIENT_SERVICE: 'c company',
    CLIENT_OPERATOR: 'c company',
    CLIENT_ADMIN: 'c company',
  },
  statistics: {
    ADMIN: 'r all',
    OPERATOR: 'r all',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'r company',
  },
  event_session: {
    ADMIN: 'cr all',
    OPERATOR: 'r all',
    CLIENT: 'c own',
    CLIENT_SERVICE: 'c company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'r company',
  },
  webhook_secret: {
    ADMIN: 'ru all',
    CLIENT_ADMIN: 'ru company',
  },
  delivery_log: {
    ADMIN: 'r all',
    OPERATOR: 'r all',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'r company',
  },
} as const satisfies Record<string, Partial<Record<UserType, Grant>>>

export type Resource = keyof typeof permissions

/** On whose objects a role may do an action; `null` for on none. */
export function findScope(role: UserType, resource: Resource, action: Action): Scope | null {
  const grants: Partial<Record<UserType, Grant>> = permissions[resource]
  const [letters, scope] = (grants[role]?.split(' ') ?? ['', null]) as [string, Scope | null]
  return letters.includes(action.charAt(0)) ? scope : null
}

/** Metadata is written by whoever may create or update the object it belongs to. */
export const findMetadataScope = (role: UserType, resource: Resource): Scope | null =>
  findScope(role, resource, 'update') ?? findScope(role, resource, 'create')

export interface PermissionRow {
  role: UserType
  resource: Resource
  action: Action
  /** `null` for refused. */
  scope: Scope | null
}

/** The table as a flat list, refusals included; without actions that nobody has. */
export function listPermissions(): PermissionRow[] {
  const resources = Object.keys(permissions) as Resource[]
  return resources.flatMap((resource) =>
    actions
      .map((action) =>
        userTypes.map((role) => ({ role, resource, action, scope: findScope(role, resource, action) })),
      )
      .filter((rows) => rows.some(({ scope }) => scope !== null))
      .flat(),
  )
}

/** Whom an object belongs to; `null` for nobody. */
export interface Owner {
  companyId: string | null
  userId: string | null
}

/**
 * Whether an object lies in a scope. Who belongs to no company reaches nothing but by `all`, and what belongs to no
 * company is reached by nobody else. For `self` the object is a user, as its own owner.
 */
export function isWithin(
  scope: Scope | null,
  actor: { userId: string; companyId: string | null },
  object: Owner,
): boolean {
  if (scope === null) return false
  if (scope === 'all') return true
  if (actor.companyId === null || object.companyId !== actor.companyId) return false
  return scope === 'company' || object.userId === actor.userId
}

/** All types of analyses may be started. */
export const allStartFlags = {
  verification: true,
  identification: true,
  documents: true,
  liveness: true,
} as const

/** Which types of analyses a user may start, where its role lets it start any. */
export type StartFlags = Readonly<Record<keyof typeof allStartFlags, boolean>>

/** Whether a user may start an analysis of a type. The flags do not bind ADMIN. */
export function mayStart(
  actor: { userType: UserType; startFlags: StartFlags },
  analysisType: keyof StartFlags,
): boolean {
  if (findScope(actor.userType, 'analysis', 'create') === null) return false
  return actor.userType === 'ADMIN' || actor.startFlags[analysisType]
}
