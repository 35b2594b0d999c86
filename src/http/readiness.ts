/** Whether the parts of the service answer. */
import type { PersistentServices } from '../compose/services.ts'
import { withTimeout } from '../queue/timers.ts'
import type { Deps } from './app-env.ts'

export const checkMaxMs = 5000

/** Whether a check succeeds within `checkMaxMs`. */
async function succeedsInTime(check: () => Promise<unknown>): Promise<boolean> {
  const passed = check().then(
    () => true,
    () => false,
  )
  return withTimeout(passed, checkMaxMs, () => false)
}

export type Status = 'ok' | 'error'

/** Health of the database and the media storage; empty without persistence. */
export async function checkStores(
  persistent: PersistentServices | null,
): Promise<Record<string, { status: Status }>> {
  const states = Object.entries(persistent?.checks ?? {}).map(async ([name, check]) => {
    return [name, { status: (await succeedsInTime(check)) ? 'ok' : 'error' }] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

/** The state of each part that a request needs; of a server that ends, that alone. */
export async function checkReadiness({ platform, services }: Deps): Promise<Record<string, Status>> {
  if (services.isStopping()) return { shutdown: 'error' }
  const stores = Object.entries(await checkStores(services.persistent))
  return {
    assessor: platform.assessor.health().ready > 0 ? 'ok' : 'error',
    ...Object.fromEntries(stores.map(([name, { status }]) => [name, status])),
  }
}
