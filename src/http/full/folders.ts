import { type Context, Hono } from 'hono'
import { companyView, userView } from '../../contract/full/account-views.ts'
import { folderChangeSchema } from '../../contract/full/folder-bodies.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { folderFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { parseFlag, parseListQuery } from '../../contract/list-query.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError } from '../../errors.ts'
import { writeArtifacts } from '../../folders/artifacts.ts'
import { clearFolder, removeFolder } from '../../folders/remove-folder.ts'
import { submitFolder } from '../../folders/submit.ts'
import { isWithin, scopeOf } from '../../identity/permissions.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { type Stateful, viewOptions } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { addTimes, reply, replyPieces } from '../reply.ts'
import { requireScope, withinScope } from './access.ts'
import { withCollections } from './collection-access.ts'
import { folderFor, requireStarts } from './folder-access.ts'
import { submittingParts, withPictures } from './folder-parts.ts'
import { readSubmission } from './read-submission.ts'

const description = (summary: string) =>
  described({
    tag: 'Folders',
    summary,
    answers: { 200: 'The folder', 403: 'The role does not allow it', 404: 'There is no such folder' },
  })

const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]

/** User and company beside each folder, where they are asked for; the user to those who may read that user. */
async function extrasOf(
  c: Context<AppEnv>,
  search: URLSearchParams,
  { users, companies }: Stateful,
  folders: readonly FolderRecord[],
): Promise<(folder: FolderRecord) => { user?: Json; company?: Json }> {
  const scope = scopeOf(c.var.principal.userType, 'user', 'read')
  const userIds = parseFlag(search, 'with_user', false) ? folders.map(({ userId }) => userId) : []
  const companyIds = parseFlag(search, 'with_company', false) ? folders.map(({ companyId }) => companyId) : []
  const knownUsers = await users.findAll(distinct(userIds))
  const knownCompanies = await companies.findAll(distinct(companyIds))
  return ({ userId, companyId }) => {
    const found = knownUsers.get(userId ?? '')
    const owner = found && { companyId: found.companyId, userId: found.id }
    const user = scope !== null && owner && isWithin(scope, c.var.principal, owner) ? found : null
    const company = knownCompanies.get(companyId ?? '')
    return {
      ...(user ? { user: userView(user) } : {}),
      ...(company ? { company: companyView(company) } : {}),
    }
  }
}

export const folderRoutes = (deps: Deps, stateful: Stateful) => {
  const { platform, settings } = deps
  const { folders, blobs } = stateful
  const { nowMs } = platform
  const searchOf = (c: Context<AppEnv>) => new URL(c.req.url).searchParams

  return new Hono<AppEnv>()
    .post('/', description('Create a folder; with analyses in its payload, run them'), async (c) => {
      requireScope(c, 'folder', 'create')
      const { companyId, userId } = c.var.principal
      if (companyId === null) throw new AppError('forbidden', '')
      const submission = await readSubmission(c.var.incoming, {
        ...{ settings, companyId, userId },
        defaults: { analyses: [] },
      })
      requireStarts(c, submission.analyses)
      if (submission.resolutionEndpoint !== null)
        await stateful.checkEndpoint(submission.resolutionEndpoint, companyId)
      const analyses = await withCollections(stateful, companyId, submission.analyses)
      const { folder, received } = await submitFolder(submittingParts(c, deps, stateful), {
        ...submission,
        analyses,
      })
      for (const { assessment } of received) addTimes(c, assessment)
      if (folder.analyses.length > 0) {
        stateful.wakeWebhooks()
        await stateful.count(companyId, folder.analyses)
      }
      const extras = { analyses: folder.analyses.length > 0 }
      return reply(c, folderView(folder, viewOptions(settings, 'full', true), extras), 201)
    })
    .get('/', description('List folders'), async (c) => {
      const within = withinScope(c, requireScope(c, 'folder', 'read'))
      const search = searchOf(c)
      const query = parseListQuery(search, folderFields, nowMs())
      const filters = query.filters.filter(
        ({ field }) =>
          field !== folderFields.results_media_results_data.reads ||
          parseFlag(search, 'with_results_media_filter', false),
      )
      const analyses = parseFlag(search, 'with_analyses', false)
      const { batches, total } = await folders.list({ ...query, filters }, within, analyses)
      const options = viewOptions(settings, 'full', false)
      const withExtras = async function* () {
        for await (const batch of batches) {
          const extras = await extrasOf(c, search, stateful, batch)
          yield batch.map((folder) => ({ folder, extras: extras(folder) }))
        }
      }
      return replyPieces(
        c,
        listPieces(query, { batches: withExtras(), total }, ({ folder, extras }) =>
          folderView(folder, options, { media: analyses, analyses, ...extras }),
        ),
      )
    })
    .get('/:folder', description('One folder'), async (c) => {
      const folder = await folderFor(c, stateful, 'folder', 'read')
      const search = searchOf(c)
      const analyses = parseFlag(search, 'with_analyses', false)
      const shown = analyses ? await withPictures(blobs, folder) : folder
      const extras = await extrasOf(c, search, stateful, [folder])
      return reply(c, folderView(shown, viewOptions(settings, 'full', true), { analyses, ...extras(folder) }))
    })
    .patch('/:folder', description('Note an operator’s view, or change the address to tell'), async (c) => {
      const folder = await folderFor(c, stateful, 'folder', 'update')
      const { operator_status, operator_comment, resolution_endpoint } = await readJsonAs(
        c,
        folderChangeSchema,
      )
      const isReview = operator_status !== undefined || operator_comment !== undefined
      if (isReview) requireScope(c, 'decision', 'update')
      if (folder.isCleared && (isReview || resolution_endpoint !== undefined))
        throw new AppError('not_lawful', 'Personal data of the folder was removed')
      if (typeof resolution_endpoint === 'string')
        await stateful.checkEndpoint(resolution_endpoint, folder.companyId)
      const now = nowMs()
      await folders.update(
        folder.id,
        {
          ...(operator_status === undefined ? {} : { operatorStatus: operator_status }),
          ...(operator_comment === undefined ? {} : { operatorComment: operator_comment }),
          ...(resolution_endpoint === undefined ? {} : { resolutionEndpoint: resolution_endpoint }),
          ...(isReview ? { reviewAuthorId: c.var.principal.userId, reviewAt: now } : {}),
        },
        now,
      )
      const changed = await folders.find(folder.id)
      return reply(
        c,
        folderView(changed ?? folder, viewOptions(settings, 'full', false), { analyses: false }),
      )
    })
    .delete('/:folder', description('Remove a folder with all it holds'), async (c) => {
      const folder = await folderFor(c, stateful, 'folder', 'delete')
      await removeFolder({ ...stateful, nowMs }, folder.id)
      return c.body(null, 204)
    })
    .delete('/:folder/pi', description('Remove personal data'), async (c) => {
      const folder = await folderFor(c, stateful, 'folder', 'delete')
      await clearFolder({ ...stateful, nowMs }, folder.id)
      return c.body(null, 204)
    })
    .get('/:folder/artifacts', description('All that a folder holds, as a ZIP'), async (c) => {
      const folder = await folderFor(c, stateful, 'folder', 'read')
      const view = folderView(folder, viewOptions(settings, 'full', false))
      const day = new Date(nowMs()).toISOString().slice(0, 10)
      const name = `artifacts_${folder.id}_${folder.companyId}_${day}.zip`
      return c.body(writeArtifacts(blobs, folder, view), 200, {
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename="${name}"`,
        'Cache-Control': 'private, no-store',
      })
    })
}
