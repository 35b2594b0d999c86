/** The Lite service's liveness methods. */

import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { folderAnswer } from '../../contract/answers/folders.ts'
import { liteLivenessAnswer } from '../../contract/answers/others.ts'
import { folderView } from '../../contract/full/folder-view.ts'
import { payloadOfFolder } from '../../contract/full/payload.ts'
import { AppError } from '../../errors.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { json, sampleBody } from '../describe-endpoint.ts'
import { mediaType } from '../header-parameters.ts'
import { reply } from '../reply.ts'
import { mediumExpected } from '../submission/medium-part.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { describeLite } from './describe-lite.ts'
import { healthRoutes } from './health.ts'
import { liteCall } from './lite-call.ts'
import { decodeSample, readSampleBody, usesBase64 } from './read-lite.ts'

/** Image mode: the whole body is one sample. */
async function detectInImage(c: Context<AppEnv>, deps: Deps): Promise<Response> {
  const { lite } = deps.services
  lite.requireNoMovement()
  const sample = await readSampleBody(c.var.incoming, deps.settings, deps.platform.acceptedTypes)
  return reply(c, await lite.detect(sample, liteCall(c, deps)))
}

/** Multipart mode: media parts and a payload; the answer has the form of a folder. */
async function detectInParts(c: Context<AppEnv>, deps: Deps): Promise<Response> {
  const submission = await readSubmission(c.var.incoming, {
    settings: deps.settings,
    companyId: null,
    userId: null,
    defaults: { analyses: [] },
    ...(usesBase64(c.req.raw) ? { decodeMedium: decodeSample } : {}),
  })
  if (submission.media.length === 0) throw new AppError('media_missing', `No part is ${mediumExpected}`)
  if (submission.resolutionEndpoint !== null) deps.services.checkEndpointForm(submission.resolutionEndpoint)
  const folder = await deps.services.lite.detectInFolder(submission, liteCall(c, deps))
  return reply(c, folderView(folder, answerOptions(deps, 'lite', true)(c)))
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
