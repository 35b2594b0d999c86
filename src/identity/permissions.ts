/** The permission table, which the routes, the documentation and the tests read. */
import { type UserType, userTypes } from './roles.ts'

export const actions = ['create', 'read', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

/**
 * Which objects: those of every company; of the actor's company; the actor's own within it (a folder and its content
 * belong to the creator of the folder); the actor itself.
 */
export type Scope = 'all' | 'company' | 'own' | 'self'

/** First letters of the allowed actions, and their scope; another scope for further actions. */
type Grant =
  | `${'c' | 'r' | 'u' | 'cr' | 'ru' | 'cru' | 'crd' | 'crud'} ${Scope}`
  | `r ${'all' | 'company'}, u self`
  | `${'r' | 'ru'} all, ${'c' | 'cd'} own`

/**
 * The table. Whatever is not granted is refused. `decision` is an operator's decision on an analysis or folder, which is
 * separate from `update` of the analysis. `person` includes the images of a person.
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
    OPERATOR: 'r all, u self',
    CLIENT: 'ru self',
    CLIENT_SERVICE: 'ru self',
    CLIENT_OPERATOR: 'r company, u self',
    CLIENT_ADMIN: 'crud company',
  },
  folder: {
    ADMIN: 'crud all',
    OPERATOR: 'ru all, c own',
    CLIENT: 'cru own',
    CLIENT_SERVICE: 'cru company',
    CLIENT_OPERATOR: 'ru company',
    CLIENT_ADMIN: 'crud company',
  },
  /** Links to `/capture`, for whoever may create folders. To delete one is to withdraw it. */
  capture_link: {
    ADMIN: 'crd all',
    OPERATOR: 'r all, cd own',
    CLIENT: 'crd own',
    CLIENT_SERVICE: 'crd company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crd company',
  },
  media: {
    ADMIN: 'crud all',
    OPERATOR: 'r all, c own',
    CLIENT: 'cru own',
    CLIENT_SERVICE: 'cru company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crud company',
  },
  analysis: {
    ADMIN: 'crd all',
    OPERATOR: 'r all, c own',
    CLIENT: 'cr own',
    CLIENT_SERVICE: 'cr company',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'crd company',
  },
  decision: {
    OPERATOR: 'u all',
    CLIENT_OPERATOR: 'u company',
  },
  /** What waits for a decision, and the decisions that were made. To update is to take a folder, so that others see who looks at it. */
  queue: {
    ADMIN: 'r all',
    OPERATOR: 'ru all',
    CLIENT_OPERATOR: 'ru company',
    CLIENT_ADMIN: 'r company',
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
    CLIENT_SERVICE: 'c self',
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
  /** Anybody may read them, also without a token. */
  device_settings: {
    ADMIN: 'crud all',
  },
  webhook_secret: {
    ADMIN: 'ru all',
    CLIENT_ADMIN: 'ru company',
  },
  /** To create is to send a webhook once more. */
  delivery_log: {
    ADMIN: 'cr all',
    OPERATOR: 'r all',
    CLIENT_OPERATOR: 'r company',
    CLIENT_ADMIN: 'cr company',
  },
  settings: {
    ADMIN: 'r all',
  },
} as const satisfies Record<string, Partial<Record<UserType, Grant>>>

export type Resource = keyof typeof permissions

/** The scope in which a role may do an action; `null` for none. */
export function findScope(role: UserType, resource: Resource, action: Action): Scope | null {
  const grants: Partial<Record<UserType, Grant>> = permissions[resource]
  const granted = (grants[role] ?? '').split(', ').map((grant) => grant.split(' '))
  const [, scope] = granted.find(([letters]) => letters!.includes(action.charAt(0))) ?? []
  return (scope as Scope | undefined) ?? null
}

/** The content of folders. */
const isInFolder = (resource: Resource): boolean => resource === 'media' || resource === 'analysis'

/**
 * The scope in which a role may write metadata: those who may update the object or the folder that it is in, else those who may
 * create it.
 */
export const findMetadataScope = (role: UserType, resource: Resource): Scope | null =>
  findScope(role, resource, 'update') ??
  (isInFolder(resource) ? findScope(role, 'folder', 'update') : null) ??
  findScope(role, resource, 'create')

interface PermissionRow {
  role: UserType
  resource: Resource
  action: Action
  /** `null` if refused. */
  scope: Scope | null
}

/** The table as a flat list, refusals included, but without actions that no role has. */
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

/** The owner of an object; `null` for none. */
export interface Owner {
  companyId: string | null
  userId: string | null
}

/**
 * Whether an object is in a scope. Actors without a company have access only by `all`, and so do all actors to objects
 * without a company. For `self` the object is a user, which owns itself.
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

/** Which types of analyses a user may start, if the role may start any. */
export type StartFlags = Readonly<Record<keyof typeof allStartFlags, boolean>>

/** A type of analysis for which it is defined who may start it. */
export type StartableType = keyof StartFlags

/** Whether a user may start an analysis of a type. The flags do not apply to ADMIN. */
export function mayStart(
  actor: { userType: UserType; startFlags: StartFlags },
  analysisType: StartableType,
): boolean {
  if (findScope(actor.userType, 'analysis', 'create') === null) return false
  return actor.userType === 'ADMIN' || actor.startFlags[analysisType]
}
