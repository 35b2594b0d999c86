/** The Instant routes: assess a submission and return its folder without storing anything. */

import { type Context, Hono } from 'hono'
import { spendOnce } from '../../container/used-tokens.ts'
import { folderAnswer } from '../../contract/answers/folders.ts'
import { wireType } from '../../contract/full/analysis-views/registry.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { payloadExample, payloadSchema } from '../../contract/full/payload.ts'
import { viewOptions } from '../../contract/full/view-options.ts'
import { AppError } from '../../errors.ts'
import type { Submission } from '../../records/folder.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { containerBody, describeEndpoint, json } from '../describe-endpoint.ts'
import { authenticate } from '../middleware/require-token.ts'
import { recordServerTiming, reply } from '../reply.ts'
import { companyHeader, readCompanyHeader } from '../request-ids.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { openDoor } from './container-door.ts'
import { saveExpired, saveInstantArtifacts } from './instant-artifacts.ts'

/** The caller of a request; all ids are `null` if authorization is off. */
interface Caller {
  companyId: string | null
  /** The company whose usage counts: only one that a token proves, never one from the header alone. */
  billedTo: string | null
  userId: string | null
  /** @throws {AppError} `forbidden` for types of analyses that the user may not start */
  check(submission: Submission): void
}

/** Where other clients would send the later requests of a folder. */
export const isBelowInstant = (path: string): boolean => path.startsWith('/api/instant/folders/')

export const instantKeepsNothing =
  'Instant keeps no folders: send the media and their analyses in one request to /api/instant/folders/'

/** Whether calls need no token: authorization is off, or there is no auth component. */
export const isOpen = ({ authorizeDisabledStateless, components }: Settings): boolean =>
  authorizeDisabledStateless || !components.auth

/** @throws {AppError} as `authenticate`; `forbidden` if the role may not create folders or the header names another company */
async function resolveCaller(c: Context<AppEnv>, deps: Deps): Promise<Caller> {
  const companyId = readCompanyHeader(c)
  if (isOpen(deps.settings)) return { companyId, billedTo: null, userId: null, check() {} }
  const authority = await authenticate(c, deps)
  const billedTo = authority.actingCompany('folder', companyId, companyHeader)
  return {
    companyId: billedTo,
    billedTo,
    userId: authority.principal.userId,
    check: ({ analyses }) => authority.requireStarts(analyses),
  }
}

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
    const { companyId, billedTo, userId, check } = await resolveCaller(c, deps)
    const { artifacts } = platform
    const submission = await readSubmission(c.var.incoming, {
      ...{ settings, companyId, userId },
      containers: {
        ...openDoor(deps),
        isCompanyProven: billedTo !== null,
        ...(artifacts ? { onExpired: (container, owner) => saveExpired(artifacts, container, owner) } : {}),
      },
    })
    refuseCollections(submission)
    check(submission)
    if (submission.resolutionEndpoint !== null) services.checkEndpointForm(submission.resolutionEndpoint)
    const run = async () => {
      const processed = await services.processor.runSubmission(submission, false, callContext(c, deps))
      const { folder, received } = processed
      if (artifacts) await saveInstantArtifacts(artifacts, folder, received, submission.payload ?? {})
      return processed
    }
    const spends = submission.spends ?? []
    const { folder, received } = await spendOnce(services.usedTokens, spends, run)
    for (const { assessment } of received) recordServerTiming(c, assessment)
    const types = folder.analyses.map(({ type }) => type)
    const view = folderView(folder, viewOptions(settings, 'full', true))
    // Last, so that a caller who repeats a failed request is billed once.
    if (billedTo !== null) await services.countUsage(billedTo, types)
    return reply(c, view)
  })
}
