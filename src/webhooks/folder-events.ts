/** The webhook events of folders: due entries of the outbox, with bodies and secrets. */
import { folderView } from '../contract/full/folder-view.ts'
import type { ViewOptions } from '../contract/full/media-view.ts'
import { spacedPieces } from '../contract/spaced-json.ts'
import { AppError } from '../errors.ts'
import type { DueDelivery, Outbox } from '../events/outbox-runner.ts'
import { gather } from '../queue/loop-turns.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { DueEvent, OutboxStore } from '../storage/webhooks/outbox-store.ts'
import type { WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

export interface FolderEventsDeps {
  folders: FolderStore
  outbox: OutboxStore
  secrets: WebhookSecretStore
  /** View options for the folder in the body: as in answers, without pictures. */
  view: ViewOptions
}

/** The tenant of a folder; folders without a company share one. */
export const toTenant = (companyId: string | null): string => companyId ?? ''
const toCompany = (tenant: string): string | null => (tenant === '' ? null : tenant)

/** Builds the delivery of an event. If that fails, only this event is given up; others of its batch are delivered. */
async function toDelivery(
  { folders, outbox, secrets, view }: FolderEventsDeps,
  event: DueEvent,
  nowMs: number,
): Promise<DueDelivery | null> {
  try {
    const folder = await folders.find(event.folderId)
    if (folder) {
      const { companyId } = folder
      const signing = companyId === null ? [] : await secrets.signing(companyId, nowMs)
      const { text } = await gather(spacedPieces(folderView(folder, view)))
      return { ...event, tenant: toTenant(companyId), secrets: signing, body: text }
    }
  } catch (error) {
    if (error instanceof AppError) throw error
  }
  await outbox.settle(event.id, event.attempt, { status: null, reason: 'internal' }, nowMs, null)
  return null
}

export const folderEvents = (deps: FolderEventsDeps): Outbox => ({
  async take(now, lease, { max, perTenantMax, except }) {
    const wanted = { max, perCompanyMax: perTenantMax, except: except.map(toCompany) }
    const due = await deps.outbox.take(now, lease, wanted)
    const taken = await Promise.all(due.map((event) => toDelivery(deps, event, now)))
    return taken.filter((event) => event !== null)
  },
  recordSuccess: (id, attempt, status, now) =>
    deps.outbox.settle(id, attempt, { status, reason: null }, now, null),
  recordFailure: (id, attempt, failure, now, retryAtMs) =>
    deps.outbox.settle(id, attempt, failure, now, retryAtMs),
})
