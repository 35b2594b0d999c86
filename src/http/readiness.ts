/** Whether the parts of the service answer. */
import type { PersistentServices } from '../compose/services.ts'
import { describeCause } from '../errors.ts'
import type { FreeSpace } from '../platform/platform.ts'
import { withTimeout } from '../queue/timers.ts'
import type { Deps } from './app-env.ts'

export const checkMaxMs = 5000
const noAnswer = `no answer within ${checkMaxMs / 1000} s`

/** Why a check does not succeed within `checkMaxMs`; `null` if it does. */
async function findFault(check: () => Promise<unknown>): Promise<string | null> {
  const fault = check().then(() => null, describeCause)
  return withTimeout(fault, checkMaxMs, () => noAnswer)
}

/** Faults of the database and the media storage by name; empty without persistence. */
async function findFaults(persistent: PersistentServices | null): Promise<[string, string | null][]> {
  const checks = Object.entries(persistent?.checks ?? {})
  return Promise.all(checks.map(async ([name, check]) => [name, await findFault(check)]))
}

export type Status = 'ok' | 'error'

/** The state of a store. `warning`: it works, and an operator should look. */
interface StoreHealth {
  status: Status | 'warning'
  undeleted_files?: number
  failed_removals?: number
  free_megabytes?: number
}

/** What is known of the storage of media, besides whether it answers. */
async function describeStorage({
  countUndeleted,
  countFailedRemovals,
  freeSpace,
}: PersistentServices): Promise<StoreHealth> {
  const [undeleted, space] = await Promise.all([countUndeleted().catch(() => null), freeSpace()])
  const unremoved = countFailedRemovals()
  const isNoticed = (undeleted ?? 0) > 0 || unremoved > 0 || space?.isLow
  return {
    status: space?.isScarce ? 'error' : isNoticed ? 'warning' : 'ok',
    ...(undeleted === null ? {} : { undeleted_files: undeleted }),
    failed_removals: unremoved,
    ...(space === null ? {} : { free_megabytes: Math.floor(space.bytes / 1e6) }),
  }
}

/** Health of the database and the media storage; empty without persistence. */
export async function checkStores(
  persistent: PersistentServices | null,
): Promise<Record<string, StoreHealth>> {
  if (!persistent) return {}
  const [faults, storage] = await Promise.all([
    findFaults(persistent),
    withTimeout(describeStorage(persistent), checkMaxMs, (): StoreHealth => ({ status: 'ok' })),
  ])
  return Object.fromEntries(
    faults.map(([name, fault]): [string, StoreHealth] => {
      if (fault !== null) return [name, { status: 'error' }]
      return [name, name === 'storage' ? storage : { status: 'ok' }]
    }),
  )
}

/** Why the disk takes no more requests; `null` if it does. */
const describeSpace = (space: FreeSpace): string | null =>
  space.isScarce
    ? `${Math.floor(space.bytes / 1e6)} MB are free on the disk of DATA_DIR: free space, enlarge it, or set SVC_RETENTION_DAYS`
    : null

/** The fault of the disk by name; empty where nothing is kept on it, or its space is unknown. */
async function checkDisk(persistent: PersistentServices | null): Promise<Record<string, string | null>> {
  if (!persistent) return {}
  const described = persistent.freeSpace().then((space) => (space ? { disk: describeSpace(space) } : {}))
  return withTimeout<Record<string, string | null>>(described, checkMaxMs, () => ({ disk: noAnswer }))
}

/** The fault of each part that a request needs, `null` for none; of a server that ends, that alone. */
export async function checkReadiness({ platform, services }: Deps): Promise<Record<string, string | null>> {
  if (services.isStopping()) return { shutdown: 'the server ends' }
  const { persistent } = services
  const [faults, disk] = await Promise.all([findFaults(persistent), checkDisk(persistent)])
  return {
    assessor: platform.assessor.health().ready > 0 ? null : 'no worker is ready',
    ...Object.fromEntries(faults),
    ...disk,
  }
}
