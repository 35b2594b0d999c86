/** What receivers manage of webhooks: the log of attempts, and the signing secret. */
import type { Authorized, ListScope } from '../identity/authority.ts'
import type { CompanyRecord } from '../records/account.ts'
import type { ListQuery, Page } from '../records/list-query.ts'
import type { DeliveryRecord, OutboxStore } from '../storage/webhooks/outbox-store.ts'
import type { WebhookSecret, WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

export interface WebhookServiceDeps {
  outbox: OutboxStore
  secrets: WebhookSecretStore
  nowMs(): number
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

  secret({ id }: Authorized<CompanyRecord, 'read webhook_secret'>): Promise<WebhookSecret> {
    return this.#deps.secrets.findOrMake(id, this.#deps.nowMs())
  }

  /** Generates a new secret. The previous one signs too for a day. */
  rotateSecret({ id }: Authorized<CompanyRecord, 'update webhook_secret'>): Promise<WebhookSecret> {
    const now = this.#deps.nowMs()
    return this.#deps.secrets.rotate(id, now, now + previousKeptMs)
  }
}
