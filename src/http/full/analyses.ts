import { type Context, Hono } from 'hono'
import { analysisKinds } from '../../analyses/registry.ts'
import { analysisView } from '../../contract/full/analysis-view.ts'
import { decisionSchema } from '../../contract/full/folder-bodies.ts'
import { analysisFields } from '../../contract/full/list-fields.ts'
import { pageOf } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { AppError } from '../../errors.ts'
import { submitAnalyses } from '../../folders/submit.ts'
import { mayStart } from '../../identity/permissions.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { type Stateful, viewOptions } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { reply } from '../reply.ts'
import { withCollections } from './collection-access.ts'
import { analysisFor, folderFor, requireStarts } from './folder-access.ts'
import { submittingParts, withPictures } from './folder-parts.ts'
import { readSubmission } from './read-submission.ts'

const description = (summary: string) =>
  described({
    tag: 'Analyses',
    summary,
    answers: { 200: 'The analyses', 403: 'The role does not allow it', 404: 'There is no such analysis' },
  })

const types = ['liveness', 'verification'] as const

/** Whether a folder has the media for a type. */
function isPossible(folder: FolderRecord, type: (typeof types)[number]): boolean {
  try {
    analysisKinds[type].select(folder.media, null)
    return true
  } catch {
    return false
  }
}

export const folderAnalysesRoutes = (deps: Deps, stateful: Stateful) => {
  const { settings, platform } = deps
  const options = viewOptions(settings, 'full', false)

  const begin = async (
    c: Context<AppEnv>,
    folder: FolderRecord,
    requests: readonly RequestedAnalysis[],
    endpoint: string | null,
  ): Promise<Response> => {
    if (requests.length === 0) throw new AppError('value_invalid', 'analyses is empty')
    requireStarts(c, requests)
    if (endpoint !== null) await stateful.checkEndpoint(endpoint, folder.companyId)
    const wanted = await withCollections(stateful, folder.companyId, requests)
    const begun = await submitAnalyses(submittingParts(c, deps, stateful), folder, wanted, endpoint)
    stateful.wakeRunner()
    if (folder.companyId !== null) await stateful.count(folder.companyId, begun.analyses)
    return reply(
      c,
      begun.analyses.map((analysis) => analysisView(folder, analysis, options)),
      201,
    )
  }

  return new Hono<AppEnv>()
    .post('/:folder/analyses', description('Start analyses'), async (c) => {
      const folder = await folderFor(c, stateful, 'analysis', 'create')
      const { companyId, userId } = folder
      const submission = await readSubmission(c.var.incoming, { settings, companyId, userId })
      return begin(c, folder, submission.analyses, submission.resolutionEndpoint)
    })
    .patch(
      '/:folder/analyses',
      description('Start all analyses the media allow (older clients)'),
      async (c) => {
        const folder = await folderFor(c, stateful, 'analysis', 'create')
        const possible = types.filter((type) => isPossible(folder, type) && mayStart(c.var.principal, type))
        if (possible.length === 0) throw new AppError('media_missing', "Can't start analysis without media")
        const band = { min: settings.matchThresholdMin, max: settings.matchThresholdMax }
        const requests = possible.map((type) => ({
          ...{
            type,
            band,
            mediumKeys: null,
            thresholdSpoofing: null,
            extractBestShot: true,
            extractActionShot: false,
            metadata: {},
          },
        }))
        return begin(c, folder, requests, null)
      },
    )
    .get('/:folder/analyses', description('Analyses of a folder'), async (c) => {
      const folder = await folderFor(c, stateful, 'analysis', 'read')
      const query = parseListQuery(new URL(c.req.url).searchParams, analysisFields, platform.nowMs())
      const ids = pageOf(await stateful.analyses.idsOf(folder.id, query.filters), query)
      const shown = ids.flatMap((id) => folder.analyses.filter((analysis) => analysis.id === id))
      return reply(
        c,
        shown.map((analysis) => analysisView(folder, analysis, options)),
      )
    })
}

export const analysisRoutes = ({ settings, platform }: Deps, stateful: Stateful) => {
  const { analyses, blobs } = stateful
  const { nowMs, randomId } = platform
  const announcement = () => ({ eventId: randomId(), nowMs: nowMs() })
  const shown = async (c: Context<AppEnv>, folder: FolderRecord): Promise<Response> => {
    const filled = await withPictures(blobs, folder)
    return reply(c, analysisView(filled, filled.analyses[0]!, viewOptions(settings, 'full', true)))
  }
  return new Hono<AppEnv>()
    .get('/:analysis', description('One analysis'), async (c) =>
      shown(c, (await analysisFor(c, stateful, 'read')).folder),
    )
    .patch('/:analysis', description('Decide as an operator'), async (c) => {
      const { analysis } = await analysisFor(c, stateful, 'update', 'decision')
      const body = await readJsonAs(c, decisionSchema)
      const decision = body.resolution_operator ?? body.resolution_status
      if (decision === undefined) {
        throw new AppError(
          'structure_invalid',
          'Could not locate field for key_path resolution_operator from provided dict data',
          { details: { key_path: 'resolution_operator' } },
        )
      }
      const operator = { decision, comment: body.resolution_comment }
      await analyses.decide(analysis.id, operator, c.var.principal.userId, announcement())
      stateful.wakeWebhooks()
      const decided = await analyses.find(analysis.id)
      if (!decided) throw new AppError('not_found', '')
      return shown(c, decided.folder)
    })
    .delete('/:analysis', description('Remove an analysis'), async (c) => {
      const { analysis } = await analysisFor(c, stateful, 'delete')
      await analyses.delete(analysis.id, { eventId: null, nowMs: nowMs() })
      return c.body(null, 204)
    })
}
