import { Hono } from 'hono'
import type * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { spendOnce } from '../../container/used-tokens.ts'
import { folderAnswer } from '../../contract/answers/folders.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { companyView, userView } from '../../contract/full/account-views.ts'
import { decisionView } from '../../contract/full/decision-view.ts'
import { folderChangeSchema, readDecisionParts } from '../../contract/full/folder-bodies.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { folderFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { payloadExample, payloadOfFolder } from '../../contract/full/payload.ts'
import { flagParameter } from '../../contract/list/query-parameter.ts'
import { parseFlag } from '../../contract/list-query.ts'
import { patchFields, refuseExcess } from '../../contract/metadata.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError, missingMember } from '../../errors.ts'
import { writeExactJson } from '../../exact-json.ts'
import { zipType } from '../../media/archive/archive-header.ts'
import { isVerdict } from '../../records/decision.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Metadata } from '../../records/medium.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { containerBody, describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery, readSearch } from '../list-query.ts'
import { recordServerTiming, reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'
import { streamed } from '../streamed.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { openDoor } from './container-intake.ts'
import { decidedMeanwhile } from './decisions.ts'

const description = describeTag('Folders')

/** Parameters of the list besides its filters. */
const folderQuery = {
  with_user: flagParameter('true: show the user of each folder', false),
  with_company: flagParameter('true: show the company of each folder', false),
  with_media: flagParameter('false: leave out media', true),
  with_analyses: flagParameter('true: show analyses', false),
  with_results_media_filter: flagParameter('true: apply the filter results_media_results_data', false),
}
const folderFlags = Object.keys(folderQuery)

const dedupe = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]

/** Reads the user and company of each folder, if requested. A user is shown only to callers who may read that user. */
async function readExtras(
  { authority }: AppEnv['Variables'],
  search: URLSearchParams,
  { users, companies }: PersistentServices,
  folders: readonly FolderRecord[],
): Promise<(folder: FolderRecord) => { user?: Json; company?: Json }> {
  const userIds = parseFlag(search, 'with_user', false) ? folders.map(({ userId }) => userId) : []
  const companyIds = parseFlag(search, 'with_company', false) ? folders.map(({ companyId }) => companyId) : []
  const knownUsers = await users.findVisible(authority, dedupe(userIds))
  const knownCompanies = await companies.findAll(dedupe(companyIds))
  return ({ userId, companyId }) => {
    const user = knownUsers.get(userId ?? '')
    const company = knownCompanies.get(companyId ?? '')
    return {
      ...(user ? { user: userView(user) } : {}),
      ...(company ? { company: companyView(company) } : {}),
    }
  }
}

/** @throws {AppError} `value_invalid` if both names of a field are given with different values */
function oneOfTwo<T>(first: T, second: T, names: readonly [string, string]): T {
  if (first !== undefined && second !== undefined && writeExactJson(first) !== writeExactJson(second))
    throw new AppError('value_invalid', `${names.join(' and ')} are the same field: send one of them`, {
      details: { key_path: names[1] },
      place: names[1],
    })
  return first === undefined ? second : first
}

/**
 * The change that a body asks for.
 * @throws {AppError} `value_invalid` as `oneOfTwo`, `structure_invalid` for a reason without a decision
 */
function readFolderChange(body: v.InferOutput<typeof folderChangeSchema>) {
  const { operator_status, resolution_endpoint } = body
  const comment = oneOfTwo(body.operator_comment, body.resolution_comment, [
    'operator_comment',
    'resolution_comment',
  ])
  const fields = oneOfTwo(body.meta_data ?? undefined, body['folder:meta_data'] ?? undefined, [
    'meta_data',
    'folder:meta_data',
  ])
  if (body.reason_code != null && !isVerdict(operator_status)) throw missingMember('operator_status')
  const isReview = operator_status !== undefined || comment !== undefined
  const review = {
    ...(operator_status === undefined ? {} : { status: operator_status }),
    ...(comment === undefined ? {} : { comment }),
    ...readDecisionParts(body),
  }
  return {
    review: isReview ? review : null,
    patch: fields ? (metadata: Metadata) => refuseExcess(patchFields(metadata, fields)) : null,
    ...(resolution_endpoint === undefined ? {} : { resolutionEndpoint: resolution_endpoint }),
  }
}

export const folderRoutes = (deps: Deps, services: PersistentServices) => {
  const { platform, settings } = deps
  const { usedTokens } = deps.services
  const { folders, users } = services
  const withoutPictures = answerOptions(deps, 'full', false)
  const withPictures = answerOptions(deps, 'full', true)

  return new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Create a folder; with analyses in its payload, run them',
        { 201: json('The folder', folderAnswer) },
        {
          form: { payload: payloadOfFolder },
          body: { ...jsonBody(payloadOfFolder), ...containerBody },
          example: payloadExample,
        },
      ),
      async (c) => {
        const { authority, incoming } = c.var
        const creator = authority.creator('folder')
        const { companyId, userId } = creator
        const submission = await readSubmission(incoming, {
          settings,
          companyId,
          userId,
          defaults: { analyses: [] },
          containers: openDoor(deps),
        })
        const { folder, received } = await spendOnce(usedTokens, submission.spends ?? [], () =>
          folders.create(authority, creator, submission, callContext(c, deps)),
        )
        for (const { assessment } of received) recordServerTiming(c, assessment)
        // Answers to containers always have them, by the contract.
        const analyses = submission.spends !== undefined || folder.analyses.length > 0
        return reply(c, folderView(folder, withPictures(c), { analyses }), 201)
      },
    )
    .get(
      '/',
      description(
        'List folders',
        { 200: json('A page of folders', listOf(folderAnswer)) },
        { list: folderFields, query: folderQuery },
      ),
      async (c) => {
        const scope = c.var.authority.list('folder')
        const search = readSearch(c)
        const query = readListQuery(c, folderFields, platform.nowMs(), folderFlags)
        const filters = query.filters.filter(
          ({ field }) =>
            field !== folderFields.results_media_results_data.reads ||
            parseFlag(search, 'with_results_media_filter', false),
        )
        const analyses = parseFlag(search, 'with_analyses', false)
        const media = parseFlag(search, 'with_media', true)
        const { batches, total } = await folders.list({ ...query, filters }, scope, { media, analyses })
        const addExtras = async function* () {
          for await (const batch of batches) {
            const extras = await readExtras(c.var, search, services, batch)
            yield batch.map((folder) => ({ folder, extras: extras(folder) }))
          }
        }
        return replyPieces(
          c,
          listPieces(query, { batches: addExtras(), total }, ({ folder, extras }) =>
            folderView(folder, withoutPictures(c), { media, analyses, ...extras }),
          ),
        )
      },
    )
    .get(
      '/:folder',
      description(
        'One folder',
        { 200: json('The folder', folderAnswer) },
        {
          query: {
            with_user: folderQuery.with_user,
            with_company: folderQuery.with_company,
            with_analyses: folderQuery.with_analyses,
          },
        },
      ),
      async (c) => {
        const folder = await folders.find(c.var.authority, 'read', 'folder', pathId(c, 'folder'))
        const search = readSearch(c)
        const analyses = parseFlag(search, 'with_analyses', false)
        const shown = analyses ? await folders.readPictures(folder) : folder
        const extras = await readExtras(c.var, search, services, [folder])
        return reply(c, folderView(shown, withPictures(c), { analyses, ...extras(folder) }))
      },
    )
    .patch(
      '/:folder',
      description(
        'Decide the whole case as an operator, or change the webhook address or metadata',
        { 200: json('The folder', folderAnswer), 409: decidedMeanwhile },
        {
          body: jsonBody(folderChangeSchema),
          example: {
            operator_status: 'DECLINED',
            reason_code: 'print',
            operator_comment: 'an edge of paper',
          },
        },
      ),
      async (c) => {
        const { authority } = c.var
        const folder = await folders.find(authority, 'update', 'folder', pathId(c, 'folder'))
        const change = readFolderChange(await readJsonAs(c, folderChangeSchema))
        const changed = await folders.change(authority, folder, change)
        return reply(c, folderView(changed, withoutPictures(c), { analyses: false }))
      },
    )
    .delete(
      '/:folder',
      description('Remove a folder with all it holds', { 204: 'The folder is removed' }),
      async (c) => {
        await folders.remove(await folders.findToRemove(c.var.authority, pathId(c, 'folder')))
        return c.body(null, 204)
      },
    )
    .delete(
      '/:folder/pi',
      description('Remove personal data', { 204: 'Pictures, results and metadata are removed' }),
      async (c) => {
        await folders.clear(await folders.findToRemove(c.var.authority, pathId(c, 'folder')))
        return c.body(null, 204)
      },
    )
    .get(
      '/:folder/artifacts',
      description('All files of a folder as a ZIP archive', {
        200: { text: 'The archive', type: zipType },
      }),
      async (c) => {
        const { authority } = c.var
        const folder = await folders.find(authority, 'read', 'folder', pathId(c, 'folder'))
        const trail = await folders.trail(authority, folder)
        const authors = await users.findVisible(authority, dedupe(trail.map(({ authorId }) => authorId)))
        const day = new Date(platform.nowMs()).toISOString().slice(0, 10)
        const name = `artifacts_${folder.id}_${folder.companyId}_${day}.zip`
        return c.body(
          streamed(
            c,
            folders.writeArtifacts(folder, {
              folder: folderView(folder, withoutPictures(c)),
              decisions: trail.map((one) => decisionView(one, authors.get(one.authorId)?.email ?? null)),
            }),
          ),
          200,
          {
            'Content-Type': zipType,
            'Content-Disposition': `attachment; filename="${name}"`,
            'Cache-Control': 'private, no-store',
          },
        )
      },
    )
}
