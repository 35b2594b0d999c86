/** The Lite service's liveness methods. */
import { type Context, Hono } from 'hono'
import { folderView } from '../../contract/full/folder-view.ts'
import { viewOptions } from '../../contract/full/view-options.ts'
import { failures } from '../../decide/analysis.ts'
import { AppError } from '../../errors.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { readSubmission } from '../full/read-submission.ts'
import { mediaType } from '../multipart.ts'
import { recordServerTiming, reply } from '../reply.ts'
import { decodeSample, readSampleBody, usesBase64 } from './read-lite.ts'
import { assessLiveness } from './subject.ts'

const description = (summary: string) =>
  describeEndpoint({
    tag: 'Lite',
    summary,
    answers: { 200: 'The result', 400: 'A BPE error', 500: 'BPE-001001' },
  })

/** Image mode: the whole body is one sample. */
async function detectInImage(c: Context<AppEnv>, deps: Deps): Promise<Response> {
  const { attack } = await assessLiveness(c, deps, await readSampleBody(c.var.incoming, deps.settings))
  return reply(c, { passed: attack < deps.settings.spoofingThreshold, score: attack })
}

/** Turns failed analyses into errors: for a sample without a usable face the Lite service returns an error. */
function refuseFailures({ analyses }: FolderRecord): void {
  for (const { outcome } of analyses) {
    if (outcome.status !== 'failed') continue
    const { code, message } = outcome.failure
    if (code === failures.noFace.code) throw new AppError('no_face', message)
    if (code === failures.severalFaces.code) throw new AppError('several_faces', message)
    throw new AppError('media_unreadable', message)
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
  refuseFailures(folder)
  return reply(c, folderView(folder, viewOptions(deps.settings, 'lite', true)))
}

export const livenessRoutes = (deps: Deps) =>
  new Hono<AppEnv>()
    .get('/health', description('Health of the liveness processor'), (c) => {
      const ready = deps.platform.assessor.health().ready > 0
      return reply(c, { status: ready ? 0 : 3, message: ready ? '' : 'no worker is ready' })
    })
    .post('/detect', description('Liveness of an image, or of the media of a multipart request'), (c) => {
      const isMultipart = mediaType(c.req.header('Content-Type')) === 'multipart/form-data'
      return isMultipart ? detectInParts(c, deps) : detectInImage(c, deps)
    })
