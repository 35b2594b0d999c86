/** The Instant door: a submission goes in, its folder comes out, nothing stays. */
import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as v from 'valibot'
import { folderView } from '../../contract/full/folder-view.ts'
import { payloadSchema } from '../../contract/full/payload.ts'
import { AppError } from '../../errors.ts'
import { processSubmission } from '../../folders/process-submission.ts'
import type { Submission } from '../../records/folder.ts'
import { viewOptions } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { addTimes, reply } from '../reply.ts'
import { processingParts } from './processing.ts'
import { readSubmission } from './read-submission.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The vendor's spelling, and the one of a page of its manual. */
const tokenHeaders = ['X-Forensic-Access-Token', 'X-Forensics-Access-Token']

/** Lets a call in where authorization is switched off. Tokens are issued by a later release, so none is known. */
const requireInstantAccess = ({ settings }: Deps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (!settings.authorizeDisabledStateless) {
      const sent = tokenHeaders.some((name) => c.req.header(name))
      throw new AppError(sent ? 'token_unknown' : 'token_missing', '')
    }
    await next()
  })

/** The tenant that a call is made for, in deployments that serve several. */
function companyOf(c: Context<AppEnv>): string | null {
  const id = c.req.header('X-Forensic-Company-Id')
  if (id === undefined) return null
  if (!uuid.test(id))
    throw new AppError('value_invalid', 'Invalid value for uuid field X-Forensic-Company-Id')
  return id.toLowerCase()
}

/** What Instant does not offer is refused before anything is computed. */
function refuseCollections({ analyses }: Submission): void {
  if (analyses.length === 0) throw new AppError('value_invalid', 'analyses is empty')
  if (analyses.some(({ type }) => type === 'COLLECTION')) {
    throw new AppError('value_invalid', 'COLLECTION analyses are not available in Instant mode')
  }
}

export const instantRoutes = (deps: Deps) => {
  const { settings } = deps
  const description = described({
    tag: 'Instant',
    summary: 'Run analyses on media and return the folder without storing anything',
    body: {
      'multipart/form-data': v.object({ payload: payloadSchema }),
      'application/json': payloadSchema,
    },
    answers: {
      200: 'The folder with its media and finished analyses',
      400: 'The request, or a medium of it, is not what it must be',
      401: 'A token is needed',
      501: 'The type of analysis is not part of this release',
      503: 'The queue is full; try again after the time in Retry-After',
    },
  })
  return new Hono<AppEnv>().post('/folders', requireInstantAccess(deps), description, async (c) => {
    const submission = await readSubmission(c.req.raw, { settings, companyId: companyOf(c), userId: null })
    refuseCollections(submission)
    const { folder, received } = await processSubmission(processingParts(c, deps), submission, false)
    for (const { assessment } of received) addTimes(c, assessment)
    return reply(c, folderView(folder, viewOptions(deps.settings, 'full', true)))
  })
}
