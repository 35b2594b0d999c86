/** Creates the services that store folders and users. */
import { tellUnreleased } from '../container/used-tokens.ts'
import { causeOf } from '../errors.ts'
import { checkWebhookForm } from '../events/webhook-address.ts'
import { FileService } from '../folders/file-service.ts'
import type { Throttle } from '../identity/throttle.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import { composeAccounts } from './accounts.ts'
import { composeCaptureLinks } from './capture-links.ts'
import { composeFolders } from './folders.ts'
import { composeFiles, composeForgetting, composeHousekeeping } from './housekeeping.ts'
import { composeIdentification } from './identification.ts'
import { composeLite } from './lite.ts'
import { composeProcessing } from './processing.ts'
import { composeReports } from './reports.ts'
import type { Services } from './services.ts'
import { composeContainers } from './session-keys.ts'
import { composeStatistics } from './statistics.ts'
import { encryptPersistence } from './storage-encryption.ts'
import { openStores } from './stores.ts'
import { composeTelemetry } from './telemetry.ts'
import { composeWebhooks } from './webhooks.ts'

/** Templates of other networks that a call of `tidy` has no time for are left to the next one. */
const renewalMaxMs = 10_000

/** The cause of a failure for the log, without values and addresses. */
function traceCause(error: unknown): string {
  const cause = causeOf(error)
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

/** @throws {AppError} when the database or a key cannot be had */
export async function openPersistent(
  platform: Platform,
  settings: Settings,
  plain: Persistence,
  throttle: Throttle,
): Promise<Services> {
  const { persistence, cipher, keys } = await encryptPersistence(platform, settings, plain)
  const { database, blobs, scryptFor } = persistence
  const { nowMs, metrics } = platform
  const onError = (error: unknown) => platform.log('error', 'background', { cause: traceCause(error) })
  const stores = openStores(database, platform.models.cohort, settings, cipher)
  const { folders, companies, jobs, ledger } = stores
  const files = composeFiles(platform, ledger, blobs, onError)
  const forgetRemoved = composeForgetting(platform, stores, onError)
  const wakeHousekeeping = () => housekeeping.wake()
  const accounts = await composeAccounts(platform, settings, stores, scryptFor, onError, wakeHousekeeping)
  const webhooks = composeWebhooks(platform, settings, stores, persistence)
  const search = composeIdentification(
    platform,
    settings,
    stores,
    persistence,
    files,
    onError,
    wakeHousekeeping,
  )
  const statistics = composeStatistics(platform, stores, onError)
  const telemetry = composeTelemetry(platform, settings, stores)
  const processor = composeProcessing(platform, settings, search.identification, (id) =>
    companies.isSandbox(id),
  )
  const hooks = {
    checkEndpoint: webhooks.checkEndpoint,
    wakeWebhooks: webhooks.wake,
  }
  const kept = composeFolders(platform, settings, stores, persistence, processor, files, hooks, onError)
  const captureLinks = composeCaptureLinks(platform, stores, kept.folders, hooks)
  const reports = composeReports(platform, settings, stores, persistence, files, kept.keptMedia)
  const housekeeping = composeHousekeeping(platform, settings, stores, files, {
    onError,
    onEnded: hooks.wakeWebhooks,
    removeCollections: search.removeCollections,
    captureLinks,
    eventSessions: telemetry.eventSessions,
    ...{ throttle, keys },
    forgetRemoved,
  })
  metrics?.describeBacklog(async () => ({
    analyses: await jobs.countOpen(),
    webhooks: await stores.outbox.countQueued(),
    undeleted_files: await ledger.countFailed(),
    failed_removals: housekeeping.failedRemovals,
  }))
  metrics?.describeDisk(async () => (await persistence.freeSpace())?.bytes ?? null)
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
    usedTokens: tellUnreleased(stores.usedTokens, onError),
    throttle,
    checkEndpointForm: (address) => checkWebhookForm(address, settings.webhookAllowPrivate),
    countUsage: (companyId, types) => statistics.countUsage(companyId, types),
    processor,
    lite: composeLite(platform, settings, processor),
    persistent: {
      signIn: accounts.signIn,
      organisation: accounts.organisation,
      users: accounts.users,
      secondFactors: accounts.secondFactors,
      userSessions: accounts.userSessions,
      companies: accounts.companies,
      folders: kept.folders,
      media: kept.media,
      analyses: kept.analyses,
      queue: kept.queue,
      captureLinks,
      collections: search.collections,
      persons: search.persons,
      files: new FileService({ blobs, folders, collections: stores.collections }),
      webhooks: webhooks.service,
      statistics,
      ...telemetry,
      ...reports,
      checks: { database: () => companies.system(), storage: () => blobs.check() },
      countUndeleted: () => ledger.countFailed(),
      countFailedRemovals: () => housekeeping.failedRemovals,
      freeSpace: persistence.freeSpace,
      forgetRemoved,
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
      await search.keeper.renew(AbortSignal.timeout(renewalMaxMs)).catch(onError)
    },
    beginStop: () => void beginStop().catch(onError),
    isStopping: () => stopped !== null,
    async stop() {
      await beginStop()
      await webhooks.runner.stop()
      await forgetRemoved()
    },
  }
}
