/** The queued webhook events, with bodies and secrets. */
import { folderView } from '../contract/full/folder-view.ts'
import type { ViewOptions } from '../contract/full/media-view.ts'
import { spacedPieces } from '../contract/spaced-json.ts'
import type { Message, Outbox } from '../events/outbox-runner.ts'
import { gather } from '../queue/loop-turns.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { DueEvent, OutboxStore } from '../storage/webhooks/outbox-store.ts'
import type { WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

interface QueuedEventsDeps {
  folders: FolderStore
  outbox: OutboxStore
  secrets: WebhookSecretStore
  /** View options for the folder in the body: as in answers, without pictures. */
  view: ViewOptions
}

/** The tenant of a folder; folders without a company share one. */
export const toTenant = (companyId: string | null): string => companyId ?? ''
const toCompany = (tenant: string): string | null => (tenant === '' ? null : tenant)

/** The folder as it is now, with the secrets of its company; `null` if it was removed, and its events with it. */
async function readMessage(
  { folders, secrets, view }: QueuedEventsDeps,
  { folderId }: DueEvent,
  nowMs: number,
): Promise<Message | null> {
  const folder = await folders.find(folderId)
  if (!folder) return null
  const { companyId } = folder
  const signing = companyId === null ? [] : await secrets.signing(companyId, nowMs)
  const { text } = await gather(spacedPieces(folderView(folder, view)))
  const repeats = folder.analyses.some(({ sandbox }) => sandbox === 'webhook_retried')
  return { body: text, secrets: signing, repeats }
}

export const queuedEvents = (deps: QueuedEventsDeps): Outbox => ({
  async take(now, lease, { max, perTenantMax, except }) {
    const wanted = { max, perCompanyMax: perTenantMax, except: except.map(toCompany) }
    const due = await deps.outbox.take(now, lease, wanted)
    return due.map((event) => ({
      ...event,
      tenant: toTenant(event.companyId),
      read: () => readMessage(deps, event, now),
    }))
  },
  recordSuccess: (id, attempt, status, now) =>
    deps.outbox.settle(id, attempt, { status, reason: null }, now, null),
  recordFailure: (id, attempt, failure, now, retryAtMs) =>
    deps.outbox.settle(id, attempt, failure, now, retryAtMs),
})
