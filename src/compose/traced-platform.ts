/** A platform whose work is part of traces. */
import type { Assessor } from '../assess/assessor.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { Database } from '../storage/database.ts'
import { Tracing } from '../tracing/tracing.ts'

const traceAssessor = (assessor: Assessor, tracing: Tracing): Assessor => ({
  assess: (medium, ...call) =>
    tracing.inSpan('assess medium', async (span) => {
      span.describe({ 'vivace.medium.bytes': medium.bytes.length })
      const assessment = await assessor.assess(medium, ...call)
      const stages = Object.entries(assessment.stageMs)
      span.describe(Object.fromEntries(stages.map(([stage, ms]) => [`vivace.stage_ms.${stage}`, ms])))
      return assessment
    }),
  health: () => assessor.health(),
  close: () => assessor.close(),
})

function traceDatabase(database: Database, tracing: Tracing): Database {
  const asked = <T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> =>
    tracing.inInnerSpan(`database ${kind}`, work, {
      isCall: true,
      attributes: { 'db.system.name': 'sqlite' },
    })
  return {
    isLocal: database.isLocal,
    read: (work) => asked('read', () => database.read(work)),
    together: (mode, make) => asked(mode, () => database.together(mode, make)),
    write: (work) => asked('write', () => database.write(work)),
    scrub: () => database.scrub(),
  }
}

/** Media in a store; their keys are not told. What is opened is read after the span has ended. */
function traceBlobs(blobs: BlobStore, tracing: Tracing): BlobStore {
  const { backup, isRemote, isReadByOthers } = blobs
  const asked = <T>(kind: string, work: () => Promise<T>): Promise<T> =>
    tracing.inInnerSpan(`media ${kind}`, work, { isCall: isRemote })
  return {
    ...{ backup, isRemote, isReadByOthers },
    put: (...blob) => asked('put', () => blobs.put(...blob)),
    open: (...range) => asked('open', () => blobs.open(...range)),
    read: (key) => asked('read', () => blobs.read(key)),
    stat: (key) => asked('stat', () => blobs.stat(key)),
    delete: (keys) => asked('delete', () => blobs.delete(keys)),
    check: () => blobs.check(),
  }
}

/** One attempt at a delivery. The address is not told: it may hold a secret. */
const tracePost =
  (post: Persistence['post'], tracing: Tracing): Persistence['post'] =>
  (request) =>
    tracing.inSpan(
      'webhook',
      async (span) => {
        const answer = await post(request)
        if ('status' in answer) {
          span.describe({ 'http.response.status_code': answer.status })
          if (answer.status < 200 || answer.status >= 300) span.fail(String(answer.status))
        } else {
          span.fail(answer.failure)
        }
        return answer
      },
      { isCall: true, attributes: { 'http.request.method': 'POST' } },
    )

/**
 * The platform with spans around assessor, database, media and webhooks, if the operator has registered an SDK of OpenTelemetry in
 * this process; otherwise as it is.
 */
export function tracePlatform(platform: Platform): Platform {
  const tracing = new Tracing()
  if (!tracing.hasSdk) return platform
  const { assessor, persistence, artifacts } = platform
  return {
    ...platform,
    tracing,
    assessor: traceAssessor(assessor, tracing),
    artifacts: artifacts && traceBlobs(artifacts, tracing),
    persistence: persistence && {
      ...persistence,
      database: traceDatabase(persistence.database, tracing),
      blobs: traceBlobs(persistence.blobs, tracing),
      post: tracePost(persistence.post, tracing),
    },
  }
}
