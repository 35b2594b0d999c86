/** A platform whose work is counted. */
import { type Assessment, stages } from '../assess/assessment.ts'
import type { Assessor } from '../assess/assessor.ts'
import { wireTypes } from '../contract/full/analysis-views/registry.ts'
import { type Decision, failures } from '../decide/analysis.ts'
import { AppError, type ErrorCode, hasCode } from '../errors.ts'
import { deliveryFailures } from '../events/deliver.ts'
import { ServiceMetrics } from '../metrics/service-metrics.ts'
import type { Platform } from '../platform/platform.ts'
import { abandonments } from '../records/analysis.ts'
import { isMeasured, type Settings } from '../settings.ts'
import type { Database } from '../storage/database.ts'
import { softwareVersion } from '../version.ts'

type Clock = Platform['monotonicMs']

/** Codes of media that may be the fault of the service: they crashed workers, met the time limit, or it is a bug. */
const faults: readonly ErrorCode[] = ['engine_unavailable', 'media_unprocessable', 'internal']

/** How a medium ended that was not assessed. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof AppError)) return 'failed'
  if (error.code === 'overloaded') return 'overloaded'
  return faults.includes(error.code) ? 'failed' : 'refused'
}

function measureAssessor(assessor: Assessor, metrics: ServiceMetrics, clockMs: Clock): Assessor {
  const count = (startMs: number, { stageMs }: Assessment): void => {
    metrics.media.add({ outcome: 'assessed' })
    metrics.mediumSeconds.observe({}, (clockMs() - startMs) / 1000)
    for (const [stage, ms] of Object.entries(stageMs)) {
      metrics.stageSeconds.add({ stage }, ms / 1000)
      metrics.stageRuns.add({ stage })
    }
  }
  return {
    async assess(...medium) {
      const startMs = clockMs()
      try {
        const assessment = await assessor.assess(...medium)
        count(startMs, assessment)
        return assessment
      } catch (error) {
        metrics.media.add({ outcome: outcomeOf(error) })
        throw error
      }
    },
    health: () => assessor.health(),
    close: () => assessor.close(),
  }
}

function measureDatabase(database: Database, metrics: ServiceMetrics, clockMs: Clock): Database {
  const measured = async <T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    const startMs = clockMs()
    try {
      return await work()
    } catch (error) {
      if (hasCode(error, 'database_failed')) metrics.databaseFailures.add({ kind })
      throw error
    } finally {
      metrics.databaseSeconds.observe({ kind }, (clockMs() - startMs) / 1000)
    }
  }
  return {
    isLocal: database.isLocal,
    read: (work) => measured('read', () => database.read(work)),
    together: (mode, make) => measured(mode, () => database.together(mode, make)),
    write: (work) => measured('write', () => database.write(work)),
    scrub: () => database.scrub(),
  }
}

/** Statuses from 500 on that this server answers with. */
const serverErrors = [500, 501, 502, 503]

/** Events of log lines with level `error`. */
export const errorEvents = [
  ...['background', 'failure', 'answer broke', 'worker lost', 'ending'],
  ...['webhook broke', 'outbox failed', 'template lost', 'templates not renewed'],
]

const decisions: readonly Decision[] = ['SUCCESS', 'DECLINED', 'OPERATOR_REQUIRED']
const failureCodes = new Set(
  [...Object.values(failures), ...Object.values(abandonments)].map(({ code }) => code),
)

/** Shows at zero what counts events that may be rare: Prometheus does not see the first one of a new series. */
function beginSeries(metrics: ServiceMetrics, isPersistent: boolean): void {
  for (const status of serverErrors) metrics.serverErrors.begin({ status: String(status) })
  for (const outcome of ['assessed', 'refused', 'overloaded', 'failed']) metrics.media.begin({ outcome })
  metrics.mediumSeconds.begin()
  for (const stage of stages) {
    metrics.stageSeconds.begin({ stage })
    metrics.stageRuns.begin({ stage })
  }
  for (const type of wireTypes) {
    for (const verdict of decisions) metrics.verdicts.begin({ type, verdict, error_code: '' })
    for (const code of failureCodes)
      metrics.verdicts.begin({ type, verdict: 'FAILED', error_code: String(code) })
  }
  for (const event of errorEvents) metrics.logLines.begin({ level: 'error', event })
  if (!isPersistent) return
  for (const why of ['age', 'company', 'caller', 'personal_data']) metrics.foldersRemoved.begin({ why })
  for (const outcome of ['delivered', ...deliveryFailures]) metrics.webhooks.begin({ outcome })
  for (const kind of ['read', 'write']) {
    metrics.databaseSeconds.begin({ kind })
    metrics.databaseFailures.begin({ kind })
  }
}

/** The platform as it is, unless the settings ask for metrics: then with counters around assessor, database and log. */
export function measurePlatform(platform: Platform, settings: Settings): Platform {
  if (!isMeasured(settings)) return platform
  const metrics = new ServiceMetrics()
  const { assessor, persistence, models, runtime, log, monotonicMs, nowMs } = platform
  const { profileName, profile } = models
  const info = { version: softwareVersion, runtime, profile: profileName, assurance: profile.assurance }
  metrics.describeProcess(info, nowMs(), platform.usage)
  metrics.describeQueue(() => assessor.health())
  beginSeries(metrics, persistence !== null)
  return {
    ...platform,
    metrics,
    assessor: measureAssessor(assessor, metrics, monotonicMs),
    persistence: persistence && {
      ...persistence,
      database: measureDatabase(persistence.database, metrics, monotonicMs),
    },
    log(level, event, fields) {
      if (event !== 'request') metrics.logLines.add({ level, event })
      log(level, event, fields)
    },
  }
}
