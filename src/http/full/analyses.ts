import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { analysisAnswer } from '../../contract/answers/folders.ts'
import { analysisView } from '../../contract/full/analysis-view.ts'
import { decisionSchema, readDecisionParts } from '../../contract/full/folder-bodies.ts'
import { analysisFields } from '../../contract/full/list-fields.ts'
import { slicePage } from '../../contract/full/list-view.ts'
import { payloadSchema } from '../../contract/full/payload.ts'
import { missingMember } from '../../errors.ts'
import type { AnalysisRecord } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { decidedMeanwhile } from './decisions.ts'

const description = describeTag('Analyses')

/** Analyses below a folder. */
export const folderAnalysesRoutes = (deps: Deps, { folders, analyses }: PersistentServices) => {
  const { settings, platform } = deps
  const options = answerOptions(deps, 'full', false)
  const show = (c: Context<AppEnv>, folder: FolderRecord, shown: readonly AnalysisRecord[], status = 200) => {
    const views = options(c)
    return reply(
      c,
      shown.map((analysis) => analysisView(folder, analysis, views)),
      status,
    )
  }
  return new Hono<AppEnv>()
    .post(
      '/:folder/analyses',
      description(
        'Start analyses',
        { 201: json('The analyses', v.array(analysisAnswer)) },
        { body: jsonBody(payloadSchema), example: { analyses: [{ type: 'quality' }] } },
      ),
      async (c) => {
        const { authority, incoming } = c.var
        const folder = await folders.find(authority, 'create', 'analysis', pathId(c, 'folder'))
        const { companyId, userId } = folder
        const submission = await readSubmission(incoming, { settings, companyId, userId })
        const { resolutionEndpoint } = submission
        const begun = await analyses.start(authority, folder, submission.analyses, resolutionEndpoint)
        return show(c, folder, begun, 201)
      },
    )
    .patch(
      '/:folder/analyses',
      description('Start all analyses the media allow (older clients)', {
        201: json('The analyses', v.array(analysisAnswer)),
      }),
      async (c) => {
        const { authority } = c.var
        const folder = await folders.find(authority, 'create', 'analysis', pathId(c, 'folder'))
        const band = { min: settings.matchThresholdMin, max: settings.matchThresholdMax }
        const requests = analyses.possible(authority, folder, band)
        return show(c, folder, await analyses.start(authority, folder, requests, null), 201)
      },
    )
    .get(
      '/:folder/analyses',
      description(
        'Analyses of a folder',
        { 200: json('The analyses', v.array(analysisAnswer)) },
        { list: analysisFields },
      ),
      async (c) => {
        const folder = await folders.find(c.var.authority, 'read', 'analysis', pathId(c, 'folder'))
        const query = readListQuery(c, analysisFields, platform.nowMs())
        return show(c, folder, slicePage(await analyses.list(folder, query.filters), query))
      },
    )
}

export const analysisRoutes = (deps: Deps, { folders, analyses }: PersistentServices) => {
  const options = answerOptions(deps, 'full', true)
  const show = async (c: Context<AppEnv>, folder: FolderRecord): Promise<Response> => {
    const filled = await folders.readPictures(folder)
    return reply(c, analysisView(filled, filled.analyses[0]!, options(c)))
  }
  return new Hono<AppEnv>()
    .get(
      '/:analysis',
      description('One analysis', { 200: json('The analysis', analysisAnswer) }),
      async (c) => {
        const { folder } = await analyses.find(c.var.authority, 'read', 'analysis', pathId(c, 'analysis'))
        return show(c, folder)
      },
    )
    .patch(
      '/:analysis',
      description(
        'Decide as an operator',
        { 200: json('The analysis', analysisAnswer), 409: decidedMeanwhile },
        {
          body: jsonBody(decisionSchema),
          example: { resolution_operator: 'SUCCESS', resolution_comment: 'checked' },
        },
      ),
      async (c) => {
        const { authority } = c.var
        const placed = await analyses.find(authority, 'update', 'decision', pathId(c, 'analysis'))
        const body = await readJsonAs(c, decisionSchema)
        const decision = body.resolution_operator ?? body.resolution_status
        if (decision == null) throw missingMember('resolution_operator')
        const sent = { status: decision, comment: body.resolution_comment, ...readDecisionParts(body) }
        return show(c, (await analyses.decide(authority, placed, sent)).folder)
      },
    )
    .delete(
      '/:analysis',
      description('Remove an analysis', { 204: 'The analysis is removed' }),
      async (c) => {
        await analyses.remove(
          await analyses.find(c.var.authority, 'delete', 'analysis', pathId(c, 'analysis')),
        )
        return c.body(null, 204)
      },
    )
}
