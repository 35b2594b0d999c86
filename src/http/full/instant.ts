/** The Instant routes: assess a submission and return its folder without storing anything. */

import { Hono } from 'hono'
import { spendOnce } from '../../container/used-tokens.ts'
import { folderAnswer } from '../../contract/answers/folders.ts'
import { wireType } from '../../contract/full/analysis-views/registry.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { payloadExample, payloadSchema } from '../../contract/full/payload.ts'
import { AppError } from '../../errors.ts'
import type { Submission } from '../../records/folder.ts'
import { billedTypes } from '../../records/statistics.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { containerBody, describeEndpoint, json } from '../describe-endpoint.ts'
import { identifyTenant } from '../middleware/require-token.ts'
import { recordServerTiming, reply } from '../reply.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { openDoor } from './container-intake.ts'
import { saveExpired, saveInstantArtifacts } from './instant-artifacts.ts'

/** Where other clients would send the later requests of a folder. */
export const isBelowInstant = (path: string): boolean => path.startsWith('/api/instant/folders/')

export const instantKeepsNothing =
  'Instant keeps no folders: send the media and their analyses in one request to /api/instant/folders/'

/** Refuses what Instant does not offer, before anything is computed. */
function refuseCollections({ analyses }: Submission): void {
  if (analyses.length === 0)
    throw new AppError('value_invalid', 'analyses is empty', {
      details: { key_path: 'analyses', expected: 'at least one analysis' },
      place: 'analyses',
    })
  const index = analyses.findIndex(({ type }) => type === 'identification')
  if (index < 0) return
  const place = `analyses.${index}.type`
  const message = `${wireType('identification')} analyses are not available in Instant mode`
  throw new AppError('value_invalid', message, { details: { key_path: place }, place })
}

export const instantRoutes = (deps: Deps) => {
  const { settings, platform, services } = deps
  const options = answerOptions(deps, 'full', true)
  const description = describeEndpoint({
    tag: 'Instant',
    summary: 'Run analyses on media and return the folder without storing anything',
    access: 'instant',
    form: { payload: payloadSchema },
    body: containerBody,
    example: payloadExample,
    answers: { 200: json('The folder with its media and finished analyses', folderAnswer) },
  })
  return new Hono<AppEnv>().post('/folders', description, async (c) => {
    const { authority, companyId } = await identifyTenant(c, deps)
    authority?.scope('create', 'folder')
    const userId = authority?.principal.userId ?? null
    const { artifacts } = platform
    const submission = await readSubmission(c.var.incoming, {
      ...{ settings, companyId, userId },
      containers: {
        ...openDoor(deps),
        isCompanyProven: authority !== null,
        ...(artifacts ? { onExpired: (container, owner) => saveExpired(artifacts, container, owner) } : {}),
      },
    })
    refuseCollections(submission)
    authority?.requireStarts(submission.analyses)
    if (submission.resolutionEndpoint !== null) services.checkEndpointForm(submission.resolutionEndpoint)
    const sandbox = await services.processor.findSandbox(submission)
    const run = async () => {
      const staged = { ...submission, sandbox }
      const processed = await services.processor.runSubmission(staged, false, callContext(c, deps))
      const { folder, received } = processed
      if (artifacts) await saveInstantArtifacts(artifacts, folder, received, submission.payload ?? {})
      return processed
    }
    const spends = submission.spends ?? []
    const { folder, received } = await spendOnce(services.usedTokens, spends, run)
    for (const { assessment } of received) recordServerTiming(c, assessment)
    const view = folderView(folder, options(c))
    // Last, so that a caller who repeats a failed request is billed once.
    if (folder.companyId !== null) await services.countUsage(folder.companyId, billedTypes(folder.analyses))
    return reply(c, view)
  })
}
