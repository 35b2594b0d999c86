/** Folders and what is in them, as far as the caller reaches. */
import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import { type Action, mayStart, type Resource } from '../../identity/permissions.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Stateful } from '../../services.ts'
import type { PlacedAnalysis } from '../../storage/folders/analysis-store.ts'
import type { PlacedMedium } from '../../storage/folders/medium-store.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { authenticate } from '../middleware/require-token.ts'
import { pathId, reached, requireMetadataScope, requireScope } from './access.ts'

/** What is done with an object; writing metadata has a rule of its own. */
export type Use = Action | 'metadata'

export const scopeFor = (c: Context<AppEnv>, resource: Resource, use: Use) =>
  use === 'metadata' ? requireMetadataScope(c, resource) : requireScope(c, resource, use)

const ownerOf = ({ companyId, userId }: FolderRecord) => ({ companyId, userId })

/** @throws {AppError} `forbidden`, `not_found` */
export async function folderFor(
  c: Context<AppEnv>,
  { folders }: Stateful,
  resource: Resource,
  use: Use,
): Promise<FolderRecord> {
  const scope = scopeFor(c, resource, use)
  return reached(c, scope, await folders.find(pathId(c, 'folder')), ownerOf)
}

/** @throws {AppError} `forbidden`, `not_found` */
export async function mediumFor(c: Context<AppEnv>, { media }: Stateful, use: Use): Promise<PlacedMedium> {
  const scope = scopeFor(c, 'media', use)
  return reached(c, scope, await media.find(pathId(c, 'medium')), ({ folder }) => ownerOf(folder))
}

/** @throws {AppError} `forbidden`, `not_found` */
export async function analysisFor(
  c: Context<AppEnv>,
  { analyses }: Stateful,
  use: Use,
  resource: Resource = 'analysis',
): Promise<PlacedAnalysis> {
  const scope = scopeFor(c, resource, use)
  return reached(c, scope, await analyses.find(pathId(c, 'analysis')), ({ folder }) => ownerOf(folder))
}

/**
 * What a caller asks to be analysed, checked before anything is computed.
 * @throws {AppError} `forbidden` for types that are switched off for the user
 */
export function requireStarts(c: Context<AppEnv>, requests: readonly RequestedAnalysis[]): void {
  const { principal } = c.var
  for (const { type } of requests) {
    if (!mayStart(principal, type)) throw new AppError('forbidden', '')
  }
}

/**
 * Whether links to files need a token; `null` where knowing the link is enough. What `ownerId` names is a folder, or a
 * collection.
 */
export function mayReadOf(deps: Deps, { folders, collections }: Stateful) {
  if (!deps.settings.usePermissionsForStatic) return null
  return async (c: Context<AppEnv>, ownerId: string): Promise<void> => {
    c.set('principal', await authenticate(c, deps))
    const collection = await collections.find(ownerId)
    if (collection) {
      const owner = { companyId: collection.companyId, userId: null }
      reached(c, requireScope(c, 'person', 'read'), collection, () => owner)
      return
    }
    reached(c, requireScope(c, 'media', 'read'), await folders.head(ownerId), ownerOf)
  }
}
