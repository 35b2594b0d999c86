/** The files of records, and the regular clean-up. */
import { renewalMs } from '../accounts/sessions.ts'
import { clockMarginMs } from '../container/used-tokens.ts'
import { describeCause } from '../errors.ts'
import type { CaptureLinkService } from '../folders/capture-link-service.ts'
import { Housekeeping, type HousekeepingDeps } from '../folders/housekeeping.ts'
import { RecordFiles } from '../folders/record-files.ts'
import type { Throttle } from '../identity/throttle.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { BlobLedger } from '../storage/blobs/blob-ledger.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { DataKeys } from '../storage/encryption/data-keys.ts'
import type { EventSessionService } from '../telemetry/event-session-service.ts'
import { composeClockWatch } from './clock.ts'
import { abandonedLabels } from './processing.ts'
import type { Stores } from './stores.ts'

/** A replica that was offline for longer reads its collections again. */
const removalsKeptMs = 24 * 3600_000
/** Reasons that a log line names. */
const reasonsMax = 3

export const composeFiles = (
  { log, nowMs }: Platform,
  ledger: BlobLedger,
  blobs: BlobStore,
  onError: (error: unknown) => void,
): RecordFiles =>
  new RecordFiles({
    blobs,
    ledger,
    nowMs,
    onError,
    onUndeleted: (failures) =>
      log('warn', 'files not deleted', {
        files: failures.length,
        cause: [...new Set(failures.map(describeCause))].slice(0, reasonsMax).join('; '),
      }),
  })

/** Makes the function that overwrites what was removed from the database, and tells once if it cannot be done. */
export function composeForgetting(
  { log }: Platform,
  { database }: Stores,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let isTold = false
  return async () => {
    try {
      const isDone = await database.scrub()
      if (!isDone && !isTold)
        log('warn', 'removed data readable', {
          message:
            'another process reads or writes the database: until it ends, removed rows stay in the write-ahead log',
        })
      isTold = !isDone
    } catch (error) {
      onError(error)
    }
  }
}

/** Seconds between two looks at what has expired, at most. */
const beatMaxS = 60

const hourMs = 3600_000

/**
 * Does what is too much for each round once in the first minute of an hour, in which there is one: also where no process lives
 * for an hour.
 */
export function atFullHours(work: () => Promise<void>, nowMs: () => number): () => Promise<void> {
  let last = -1
  return async () => {
    const hour = Math.floor(nowMs() / hourMs)
    if (hour === last || nowMs() % hourMs >= beatMaxS * 1000) return
    await work()
    last = hour
  }
}

/** What housekeeping needs of the other areas. */
interface Duties extends Pick<HousekeepingDeps, 'onError' | 'onEnded' | 'removeCollections'> {
  captureLinks: CaptureLinkService
  eventSessions: EventSessionService
  throttle: Throttle
  keys: Pick<DataKeys, 'forgetAbandoned'> | null
  forgetRemoved(): Promise<void>
}

export function composeHousekeeping(
  platform: Platform,
  settings: Settings,
  { database, jobs, folders, sessions, companies, usedTokens, templates }: Stores,
  files: RecordFiles,
  { captureLinks, eventSessions, throttle, keys, forgetRemoved, ...duties }: Duties,
): Housekeeping {
  const { nowMs, randomId, metrics } = platform
  return new Housekeeping({
    ...duties,
    ...{ jobs, folders, files, sessions, companies, renewalMs, nowMs, randomId },
    processingMaxMs: settings.processingExpireS * 1000,
    deliveryMaxMs: settings.deliveryExpireS * 1000,
    retentionMs: settings.retentionDays === 0 ? null : settings.retentionDays * 24 * 3600_000,
    beatMs: Math.min(Math.max(2 * settings.attemptDelayS, 1), beatMaxS) * 1000,
    onAbandoned: metrics && ((analysis) => metrics.verdicts.add(abandonedLabels(analysis))),
    onFolderRemoved: metrics && ((why) => metrics.foldersRemoved.add({ why })),
    removeTelemetry: (companyId) => eventSessions.removeOf(companyId),
    also: [
      () => captureLinks.tellExpired(),
      () => captureLinks.removeOld(),
      () => eventSessions.removeOld(),
      () => usedTokens.forgetExpired(nowMs() - clockMarginMs),
      () => templates.forgetRemovals(nowMs() - removalsKeptMs),
      async () => throttle.forgetFull(),
      ...(keys ? [atFullHours(() => keys.forgetAbandoned(), nowMs)] : []),
      forgetRemoved,
      ...composeClockWatch(platform, database),
    ],
  })
}
