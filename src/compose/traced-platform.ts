/** A platform whose work is part of traces. */
import type { Assessor } from '../assess/assessor.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { Database } from '../storage/database.ts'
import { Tracing } from '../tracing/tracing.ts'

const traceAssessor = (assessor: Assessor, tracing: Tracing): Assessor => ({
  assess: (...medium) =>
    tracing.inSpan('assess medium', async (span) => {
      span.describe({ 'vivace.medium.bytes': medium[0].length })
      const assessment = await assessor.assess(...medium)
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

/** One attempt at a delivery. The address is not told: it may hold a secret. */
const tracePost =
  (post: Persistence['post'], tracing: Tracing): Persistence['post'] =>
  (request) =>
    tracing.inSpan(
      'webhook',
      async (span) => {
        const answer = await post(request)
        const isAnswered = 'status' in answer
        span.describe(
          isAnswered ? { 'http.response.status_code': answer.status } : { 'error.type': answer.failure },
        )
        return answer
      },
      { isCall: true, attributes: { 'http.request.method': 'POST' } },
    )

/** The platform as it is, unless the settings ask for traces: then with spans around assessor, database and webhooks. */
export function tracePlatform(platform: Platform, { tracingEnabled }: Settings): Platform {
  if (!tracingEnabled) return platform
  const tracing = new Tracing()
  const { assessor, persistence, log } = platform
  if (!tracing.hasSdk)
    log('warn', 'no traces', {
      message:
        'SVC_TRACING_ENABLED is set, but no SDK of OpenTelemetry is registered in this process (docs/operate.md#traces)',
    })
  return {
    ...platform,
    tracing,
    assessor: traceAssessor(assessor, tracing),
    persistence: persistence && {
      ...persistence,
      database: traceDatabase(persistence.database, tracing),
      post: tracePost(persistence.post, tracing),
    },
  }
}
