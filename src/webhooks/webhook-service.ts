/** What receivers manage of webhooks: the log of attempts, further attempts, and the signing secret. */
import { AppError } from '../errors.ts'
import type { Authority, Authorized, ListScope } from '../identity/authority.ts'
import type { CompanyRecord } from '../records/account.ts'
import type { ListQuery, Page } from '../records/list-query.ts'
import type { AttemptedEvent, DeliveryRecord, OutboxStore } from '../storage/webhooks/outbox-store.ts'
import type { WebhookSecret, WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

interface WebhookServiceDeps {
  outbox: OutboxStore
  secrets: WebhookSecretStore
  nowMs(): number
  /** Events were queued. */
  wake(): void
}

/** Time for receivers to switch secrets; longer than all attempts of an event take. */
const previousKeptMs = 24 * 3600_000

export class WebhookService {
  readonly #deps: WebhookServiceDeps

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps
  }

  /** The log of delivery attempts. */
  deliveries(
    query: ListQuery,
    scope: Authorized<ListScope, 'read delivery_log'>,
  ): Promise<Page<DeliveryRecord>> {
    return this.#deps.outbox.list(query, scope.companyId ?? null)
  }

  /**
   * An event of the log that the caller may send again.
   * @throws {AppError} `forbidden`, `not_found`
   */
  find(
    authority: Authority,
    of: { folderId: string } | { linkId: string },
    eventId: string,
  ): Promise<Authorized<AttemptedEvent, 'create delivery_log'>> {
    return authority.require(
      'create',
      'delivery_log',
      () => this.#deps.outbox.findAttempted(of, eventId),
      ({ companyId }) => ({ companyId, userId: null }),
    )
  }

  /**
   * Sends an event once more, with the same id and the folder or link as it is now, to its present address.
   * @returns the number of the attempt
   * @throws {AppError} `not_allowed` if it has no address
   */
  async repeat(event: Authorized<AttemptedEvent, 'create delivery_log'>): Promise<number> {
    const { outbox, nowMs, wake } = this.#deps
    if (event.url === null)
      throw new AppError(
        'not_allowed',
        event.linkId === null
          ? 'The folder has no resolution_endpoint'
          : 'The link has no state_endpoint: it forgets it once it has ended and all was told',
      )
    await outbox.repeat(event, event.url, nowMs())
    wake()
    return event.attempt + 1
  }

  secret({ id }: Authorized<CompanyRecord, 'read webhook_secret'>): Promise<WebhookSecret> {
    return this.#deps.secrets.findOrMake(id, this.#deps.nowMs())
  }

  /** Generates a new secret. The previous one signs too for a day. */
  rotateSecret({ id }: Authorized<CompanyRecord, 'update webhook_secret'>): Promise<WebhookSecret> {
    const now = this.#deps.nowMs()
    return this.#deps.secrets.rotate(id, now, now + previousKeptMs)
  }
}
