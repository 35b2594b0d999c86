/** The queued webhook events, with bodies and secrets. */
import { linkEventView } from '../contract/full/capture-link-view.ts'
import { folderView } from '../contract/full/folder-view.ts'
import type { ViewOptions } from '../contract/full/media-view.ts'
import { type Json, spacedPieces } from '../contract/spaced-json.ts'
import type { Message, Outbox } from '../events/outbox-runner.ts'
import { gather } from '../queue/loop-turns.ts'
import type { CaptureLinkStore } from '../storage/folders/capture-link-store.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { DueEvent, OutboxStore } from '../storage/webhooks/outbox-store.ts'
import type { WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

interface QueuedEventsDeps {
  folders: FolderStore
  links: CaptureLinkStore
  outbox: OutboxStore
  secrets: WebhookSecretStore
  /** View options for the folder in the body: as in answers, without pictures. */
  view: ViewOptions
}

/** The tenant of a folder; folders without a company share one. */
export const toTenant = (companyId: string | null): string => companyId ?? ''
const toCompany = (tenant: string): string | null => (tenant === '' ? null : tenant)

interface Content extends Pick<Message, 'repeats'> {
  companyId: string | null
  body: Json
}

/** What an event tells, as it is now; `null` if it was removed, and its events with it. */
async function readContent(
  { folders, links, view }: QueuedEventsDeps,
  { folderId, linkId, state }: DueEvent,
  nowMs: number,
): Promise<Content | null> {
  if (linkId !== null) {
    const link = await links.find({ id: linkId })
    return link && { companyId: link.companyId, body: linkEventView(state!, folderId, link, nowMs) }
  }
  const folder = await folders.find(folderId!)
  if (!folder) return null
  const repeats = folder.analyses.some(({ sandbox }) => sandbox === 'webhook_retried')
  return { companyId: folder.companyId, body: folderView(folder, view), repeats }
}

/** The body, with the secrets of its company. */
async function readMessage(deps: QueuedEventsDeps, event: DueEvent, nowMs: number): Promise<Message | null> {
  const content = await readContent(deps, event, nowMs)
  if (!content) return null
  const { companyId, body, ...message } = content
  const secrets = companyId === null ? [] : await deps.secrets.signing(companyId, nowMs)
  const { text } = await gather(spacedPieces(body))
  return { ...message, body: text, secrets }
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
