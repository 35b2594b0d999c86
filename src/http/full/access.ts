/** Asks the permission table. A role without the verb is refused; an object out of reach is one that does not exist. */
import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import {
  type Action,
  isWithin,
  metadataScopeOf,
  type Owner,
  type Resource,
  type Scope,
  scopeOf,
} from '../../identity/permissions.ts'
import type { Within } from '../../storage/folders/folder-list.ts'
import type { AppEnv } from '../app-env.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * An id of the path, in lower case.
 * @throws {AppError} `not_found` for what is no id
 */
export function pathId(c: Context, name: string): string {
  const id = c.req.param(name)?.toLowerCase() ?? ''
  if (!uuid.test(id)) throw new AppError('not_found', '')
  return id
}

/** @throws {AppError} `forbidden` */
export function requireScope(c: Context<AppEnv>, resource: Resource, action: Action): Scope {
  const scope = scopeOf(c.var.principal.userType, resource, action)
  if (scope === null) throw new AppError('forbidden', '')
  return scope
}

/** @throws {AppError} `forbidden` */
export function requireMetadataScope(c: Context<AppEnv>, resource: Resource): Scope {
  const scope = metadataScopeOf(c.var.principal.userType, resource)
  if (scope === null) throw new AppError('forbidden', '')
  return scope
}

/**
 * The object, if the caller reaches it.
 * @throws {AppError} `not_found`
 */
export function reached<T>(
  c: Context<AppEnv>,
  scope: Scope,
  object: T | null,
  ownerOf: (object: T) => Owner,
): T {
  if (object === null || !isWithin(scope, c.var.principal, ownerOf(object)))
    throw new AppError('not_found', '')
  return object
}

/**
 * What of a list the caller may see.
 * @throws {AppError} `forbidden` for a caller who belongs to no company
 */
export function withinScope(c: Context<AppEnv>, scope: Scope): Within {
  if (scope === 'all') return {}
  const { companyId, userId } = c.var.principal
  if (companyId === null) throw new AppError('forbidden', '')
  return scope === 'company' ? { companyId } : { companyId, userId }
}
