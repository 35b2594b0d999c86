/** The Lite service's liveness methods. */

import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { folderAnswer } from '../../contract/answers/folders.ts'
import { liteLivenessAnswer } from '../../contract/answers/others.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { payloadOfFolder } from '../../contract/full/payload.ts'
import { viewOptions } from '../../contract/full/view-options.ts'
import { failures } from '../../decide/analysis.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { nameMedium } from '../../folders/received-medium.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { FolderRecord, SubmittedMedium } from '../../records/folder.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { json, sampleBody } from '../describe-endpoint.ts'
import { mediaType } from '../header-parameters.ts'
import { recordServerTiming, reply } from '../reply.ts'
import { mediumExpected } from '../submission/medium-part.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { describeLite } from './describe-lite.ts'
import { healthRoutes } from './health.ts'
import { decodeSample, readSampleBody, usesBase64 } from './read-lite.ts'
import { assessLiveness } from './subject.ts'

/** Image mode: the whole body is one sample. */
async function detectInImage(c: Context<AppEnv>, deps: Deps): Promise<Response> {
  const { challengeRequired, movementRequired } = deps.settings
  // A picture alone answers no challenge, and does not move.
  if (challengeRequired) throw new AppError('media_unreadable', failures.noChallenge.message)
  if (movementRequired) throw new AppError('media_unreadable', failures.noMovement.message)
  const sample = await readSampleBody(c.var.incoming, deps.settings, deps.platform.acceptedTypes)
  const { attack } = await assessLiveness(c, deps, sample)
  return reply(c, { passed: attack < deps.settings.spoofingThreshold, score: attack })
}

const errorCodes: Partial<Record<number, ErrorCode>> = {
  [failures.noFace.code]: 'no_face',
  [failures.severalFaces.code]: 'several_faces',
}

/** Turns failed analyses into errors: for a sample without a usable face the Lite service returns an error. */
function refuseFailures({ analyses, media }: FolderRecord, submitted: readonly SubmittedMedium[]): void {
  for (const { outcome } of analyses) {
    if (outcome.status !== 'failed') continue
    const { code, message, mediumId } = outcome.failure
    const error = new AppError(errorCodes[code] ?? 'media_unreadable', message)
    const medium = submitted[media.findIndex(({ id }) => id === mediumId)]
    throw medium ? nameMedium(error, medium.key) : error
  }
}

/** The analysis to run if a request names none or sends an empty list. */
const defaultAnalysis = ({ matchThresholdMin, matchThresholdMax }: Settings): RequestedAnalysis => ({
  type: 'liveness',
  mediumKeys: null,
  thresholdSpoofing: null,
  band: { min: matchThresholdMin, max: matchThresholdMax },
  extractBestShot: true,
  extractActionShot: false,
  metadata: {},
})

/** Multipart mode: media parts and a payload; the answer has the form of a folder. */
async function detectInParts(c: Context<AppEnv>, deps: Deps): Promise<Response> {
  const read = await readSubmission(c.var.incoming, {
    settings: deps.settings,
    companyId: null,
    userId: null,
    defaults: { analyses: [] },
    ...(usesBase64(c.req.raw) ? { decodeMedium: decodeSample } : {}),
  })
  if (read.media.length === 0) throw new AppError('media_missing', `No part is ${mediumExpected}`)
  const submission = read.analyses.length > 0 ? read : { ...read, analyses: [defaultAnalysis(deps.settings)] }
  if (submission.resolutionEndpoint !== null) deps.services.checkEndpointForm(submission.resolutionEndpoint)
  if (submission.analyses.some(({ type }) => type !== 'liveness')) {
    throw new AppError('value_invalid', 'Only analyses of type quality are available here')
  }
  const { folder, received } = await deps.services.processor.runSubmission(
    submission,
    false,
    callContext(c, deps),
  )
  for (const { assessment } of received) recordServerTiming(c, assessment)
  refuseFailures(folder, submission.media)
  return reply(c, folderView(folder, viewOptions(deps.settings, 'lite', true)))
}

export const livenessRoutes = (deps: Deps) =>
  new Hono<AppEnv>().route('/', healthRoutes(deps, 'Health of the liveness processor')).post(
    '/detect',
    describeLite(
      'Liveness of an image, or of the media of a multipart request',
      {
        200: json(
          'The result of an image; for a form, the folder',
          v.union([liteLivenessAnswer, folderAnswer]),
        ),
      },
      {
        body: sampleBody(deps.platform.acceptedTypes),
        form: { payload: payloadOfFolder },
        example: { analyses: [{ type: 'quality', params: { extract_best_shot: false } }] },
      },
    ),
    (c) => {
      const isMultipart = mediaType(c.req.header('Content-Type')) === 'multipart/form-data'
      return isMultipart ? detectInParts(c, deps) : detectInImage(c, deps)
    },
  )
