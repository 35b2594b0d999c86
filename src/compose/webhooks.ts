/** Webhooks: the runner that sends events, and the service that manages addresses and secrets. */
import { viewOptions } from '../contract/full/view-options.ts'
import { createDeliver, type Deliver } from '../events/deliver.ts'
import { LookupLine } from '../events/lookup-line.ts'
import { OutboxRunner, type OutboxRunnerOptions } from '../events/outbox-runner.ts'
import { type AddressRules, checkWebhookAddress } from '../events/webhook-address.ts'
import { randomBytes } from '../identity/passwords.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import { queuedEvents, toTenant } from '../webhooks/queued-events.ts'
import { WebhookService } from '../webhooks/webhook-service.ts'
import type { Stores } from './stores.ts'

const pollMs = 1000
/** The longest pause between two looks at a database server, where other replicas may have left events. */
const idlePollMs = 10_000
/** Resolving a host has its own time, besides that of the answer: half for waiting, half for asking. */
const resolveMaxMs = 10_000
/** Number of webhook hosts that are resolved at the same time. */
const lookupsMax = 64

const countDeliveries =
  (deliver: Deliver, metrics: Platform['metrics']): Deliver =>
  async (delivery) => {
    const result = await deliver(delivery)
    metrics?.webhooks.add({ outcome: result.ok ? 'delivered' : result.reason })
    return result
  }

export function composeWebhooks(
  { nowMs, log, metrics, tracing, runSoon }: Platform,
  settings: Settings,
  { database, folders, captureLinks: links, outbox, webhookSecrets: secrets }: Stores,
  { resolveHost, post }: Persistence,
) {
  const lookups = new LookupLine({ resolveHost, atOnceMax: lookupsMax, waitMaxMs: resolveMaxMs / 2 })
  const rulesFor = (tenant: string): AddressRules => ({
    resolveHost: (name) => lookups.resolve(tenant, name),
    allowPrivate: settings.webhookAllowPrivate,
  })
  const timeoutMs = settings.externalTimeoutS * 1000
  const options: OutboxRunnerOptions = {
    outbox: queuedEvents({ folders, links, outbox, secrets, view: viewOptions(settings, 'full', false) }),
    deliver: countDeliveries(createDeliver({ rulesFor, post, nowMs, timeoutMs }), metrics),
    nowMs,
    random: () => randomBytes(1)[0]! / 256,
    log,
    attemptMaxMs: timeoutMs + resolveMaxMs,
    pollMs,
    pollMaxMs: database.isLocal ? pollMs : idlePollMs,
  }
  const runner = new OutboxRunner(options)
  const wake = runSoon ?? (() => (tracing ? tracing.apart(() => runner.wake()) : runner.wake()))
  return {
    runner,
    /** Sends what is due soon. */
    wake,
    /** Sends what is due, within one call. */
    drain: (isTimeUp: () => boolean) => new OutboxRunner(options).drain(isTimeUp),
    service: new WebhookService({ outbox, secrets, nowMs, wake }),
    checkEndpoint: async (address: string, companyId: string | null, member?: string): Promise<void> =>
      void (await checkWebhookAddress(address, rulesFor(toTenant(companyId)), member)),
  }
}
