/** Whether the parts of the service answer. */
import type { PersistentServices } from '../compose/services.ts'
import { describeCause } from '../errors.ts'
import { withTimeout } from '../queue/timers.ts'
import type { Deps } from './app-env.ts'

export const checkMaxMs = 5000

/** Why a check does not succeed within `checkMaxMs`; `null` if it does. */
async function findFault(check: () => Promise<unknown>): Promise<string | null> {
  const fault = check().then(() => null, describeCause)
  return withTimeout(fault, checkMaxMs, () => `no answer within ${checkMaxMs / 1000} s`)
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
}

/** Health of the database and the media storage; empty without persistence. */
export async function checkStores(
  persistent: PersistentServices | null,
): Promise<Record<string, StoreHealth>> {
  const undeleted = persistent?.countUndeleted().catch(() => null) ?? null
  const [faults, files] = await Promise.all([
    findFaults(persistent),
    withTimeout(Promise.resolve(undeleted), checkMaxMs, () => null),
  ])
  const describe = (name: string, fault: string | null): StoreHealth => {
    if (fault !== null) return { status: 'error' }
    if (name !== 'storage' || files === null) return { status: 'ok' }
    return { status: files === 0 ? 'ok' : 'warning', undeleted_files: files }
  }
  return Object.fromEntries(faults.map(([name, fault]) => [name, describe(name, fault)]))
}

/** The fault of each part that a request needs, `null` for none; of a server that ends, that alone. */
export async function checkReadiness({ platform, services }: Deps): Promise<Record<string, string | null>> {
  if (services.isStopping()) return { shutdown: 'the server ends' }
  return {
    assessor: platform.assessor.health().ready > 0 ? null : 'no worker is ready',
    ...Object.fromEntries(await findFaults(services.persistent)),
  }
}
