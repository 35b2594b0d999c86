/** Creates the services that store folders and users. */
import { renewalMs } from '../accounts/sessions.ts'
import { clockMarginMs } from '../container/used-tokens.ts'
import { AppError } from '../errors.ts'
import { checkWebhookForm } from '../events/webhook-address.ts'
import { FileService } from '../folders/file-service.ts'
import { Housekeeping } from '../folders/housekeeping.ts'
import { RecordFiles } from '../folders/record-files.ts'
import type { Throttle } from '../identity/throttle.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import { composeAccounts } from './accounts.ts'
import { composeClockWatch } from './clock.ts'
import { composeFolders } from './folders.ts'
import { composeIdentification } from './identification.ts'
import { abandonedLabels, composeProcessing } from './processing.ts'
import { composeReports } from './reports.ts'
import type { Services } from './services.ts'
import { composeContainers } from './session-keys.ts'
import { composeStatistics } from './statistics.ts'
import { openStores } from './stores.ts'
import { composeTelemetry } from './telemetry.ts'
import { composeWebhooks } from './webhooks.ts'

/** Templates of other networks that a call of `tidy` has no time for are left to the next one. */
const renewalMaxMs = 10_000
/** A replica that was offline for longer reads its collections again. */
const removalsKeptMs = 24 * 3600_000

/** The cause of a failure for the log, without values and addresses. */
function causeOf(error: unknown): string {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

/** @throws {AppError} when the database or a key cannot be had */
export async function openPersistent(
  platform: Platform,
  settings: Settings,
  persistence: Persistence,
  throttle: Throttle,
): Promise<Services> {
  const { database, blobs, scryptFor } = persistence
  const { nowMs, randomId, metrics } = platform
  const onError = (error: unknown) => platform.log('error', 'background', { cause: causeOf(error) })
  const stores = openStores(database, platform.models.cohort, settings)
  const { folders, companies, sessions, jobs, templates, ledger } = stores
  const files = new RecordFiles({ blobs, ledger, nowMs })
  const accounts = await composeAccounts(platform, settings, stores, scryptFor, onError)
  const webhooks = composeWebhooks(platform, settings, stores, persistence)
  const search = composeIdentification(platform, settings, stores, persistence, files, onError)
  const statistics = composeStatistics(platform, stores, onError)
  const telemetry = composeTelemetry(platform, settings, stores)
  const processor = composeProcessing(platform, settings, search.identification)
  const hooks = {
    checkEndpoint: webhooks.checkEndpoint,
    wakeWebhooks: webhooks.wake,
  }
  const kept = composeFolders(platform, settings, stores, persistence, processor, files, hooks, onError)
  const reports = composeReports(platform, settings, stores, persistence, files, kept.keptMedia)
  const housekeeping = new Housekeeping({
    jobs,
    folders,
    files,
    sessions,
    companies,
    renewalMs,
    nowMs,
    randomId,
    onError,
    processingMaxMs: settings.processingExpireS * 1000,
    deliveryMaxMs: settings.deliveryExpireS * 1000,
    retentionMs: settings.retentionDays === 0 ? null : settings.retentionDays * 24 * 3600_000,
    beatMs: settings.expireBeatS * 1000,
    onEnded: hooks.wakeWebhooks,
    onAbandoned: metrics && ((analysis) => metrics.verdicts.add(abandonedLabels(analysis))),
    onFolderRemoved: metrics && ((why) => metrics.foldersRemoved.add({ why })),
    removeCollections: search.removeCollections,
    removeTelemetry: (companyId) => telemetry.eventSessions.removeOf(companyId),
    also: [
      () => telemetry.eventSessions.removeOld(),
      () => stores.usedTokens.forgetExpired(nowMs() - clockMarginMs),
      () => templates.forgetRemovals(nowMs() - removalsKeptMs),
      async () => throttle.forgetFull(),
      () => database.scrub(),
      ...composeClockWatch(platform, database),
    ],
  })
  metrics?.describeBacklog(async () => ({
    analyses: await jobs.countOpen(),
    webhooks: await stores.outbox.countQueued(),
  }))
  let stopped: Promise<unknown> | null = null
  const beginStop = () => {
    stopped ??= Promise.all([kept.runner.stop(), housekeeping.stop(), search.keeper.stop()])
    return stopped
  }
  // No other process uses a local database file: leases of ended processes are free.
  if (database.isLocal) await jobs.freeAll(nowMs())
  return {
    authenticate: (accessToken) => accounts.sessions.authenticate(accessToken),
    ...(await composeContainers(platform, settings, stores.secrets)),
    usedTokens: stores.usedTokens,
    throttle,
    checkEndpointForm: (address) => checkWebhookForm(address, settings.webhookAllowPrivate),
    countUsage: (companyId, types) => statistics.countUsage(companyId, types),
    processor,
    persistent: {
      signIn: accounts.signIn,
      users: accounts.users,
      companies: accounts.companies,
      folders: kept.folders,
      media: kept.media,
      analyses: kept.analyses,
      collections: search.collections,
      persons: search.persons,
      files: new FileService({ blobs, folders, collections: stores.collections }),
      webhooks: webhooks.service,
      statistics,
      ...telemetry,
      ...reports,
      checks: { database: () => companies.system(), storage: () => blobs.check() },
    },
    start() {
      for (const part of [kept.runner, webhooks.runner, housekeeping, search.keeper]) part.start()
    },
    async drain(isTimeUp) {
      await kept.drain(isTimeUp)
      await webhooks.drain(isTimeUp)
    },
    async tidy() {
      await housekeeping.beat()
      await search.keeper.renew(AbortSignal.timeout(renewalMaxMs))
    },
    beginStop: () => void beginStop().catch(onError),
    isStopping: () => stopped !== null,
    async stop() {
      await beginStop()
      await webhooks.runner.stop()
    },
  }
}
