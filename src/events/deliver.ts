/** One attempt to deliver a webhook. */
import { softwareVersion } from '../version.ts'
import { type AddressRules, inspectWebhookAddress } from './webhook-address.ts'
import { createStandardHeaders } from './webhook-signature.ts'

/** Why a request got no response. */
export type PostFailure = 'timed_out' | 'connection_failed' | 'tls_failed'

/** Why an attempt failed, as the log of attempts says it; `sandbox`: it was asked to. */
export const deliveryFailures = [
  'timed_out',
  'connection_failed',
  'tls_failed',
  'address_refused',
  'host_unresolved',
  'redirected',
  'status_refused',
  'internal',
  'sandbox',
] as const
export type DeliveryFailure = (typeof deliveryFailures)[number]

/** A request that goes only to the given IP addresses, even if the host name resolves to others by then. */
export interface PinnedPost {
  url: URL
  addresses: readonly string[]
  headers: Readonly<Record<string, string>>
  body: string
  /** Milliseconds from the first packet to the status line. */
  timeoutMs: number
}

export type PostAnswer = { status: number } | { failure: PostFailure }

export interface DeliverOptions {
  /** The rules for webhook addresses of a tenant. */
  rulesFor(tenant: string): AddressRules
  /** Sends a request. Follows no redirects and does not read the response body. */
  post(request: PinnedPost): Promise<PostAnswer>
  nowMs(): number
  timeoutMs: number
}

/** One attempt at a delivery. */
export interface DeliveryAttempt {
  /** Id of the event, the same in all its attempts. */
  id: string
  /** The tenant whose share of lookups and slots it uses. */
  tenant: string
  url: string
  body: string
  /** 1 for the first attempt. */
  attempt: number
  /** The company's secret and, for a while after a rotation, the previous one; empty for a folder without a company. */
  secrets: readonly string[]
}

export type DeliveryResult =
  | { ok: true; status: number }
  | { ok: false; status: number | null; reason: DeliveryFailure }

export type Deliver = (delivery: DeliveryAttempt) => Promise<DeliveryResult>

const toFailure = (reason: DeliveryFailure, status: number | null = null): DeliveryResult => ({
  ok: false,
  status,
  reason,
})

async function buildHeaders({ id, attempt, body, secrets }: DeliveryAttempt, options: DeliverOptions) {
  const timestampS = Math.floor(options.nowMs() / 1000)
  return {
    'Content-Type': 'application/json; charset=utf8',
    'User-Agent': `Vivace/${softwareVersion}`,
    'X-Vivace-Event-Id': id,
    'X-Vivace-Attempt': String(attempt),
    'X-Vivace-Timestamp': String(timestampS),
    ...(secrets.length === 0 ? {} : await createStandardHeaders({ id, attempt, body, timestampS }, secrets)),
  }
}

function classifyResponse(answer: PostAnswer): DeliveryResult {
  if ('failure' in answer) return toFailure(answer.failure)
  const { status } = answer
  if (status >= 200 && status < 300) return { ok: true, status }
  return toFailure(status >= 300 && status < 400 ? 'redirected' : 'status_refused', status)
}

/**
 * Makes the function that delivers webhooks. Each attempt checks the address again, because its host name may resolve to
 * other IP addresses by now. Any 2xx status is a success; a redirect is a failure.
 */
export function createDeliver(options: DeliverOptions): Deliver {
  return async (delivery) => {
    const checked = await inspectWebhookAddress(delivery.url, options.rulesFor(delivery.tenant))
    if (checked === 'host_unresolved' || checked === 'lookup_failed') return toFailure('host_unresolved')
    if (typeof checked === 'string') return toFailure('address_refused')
    const headers = await buildHeaders(delivery, options)
    const { timeoutMs } = options
    return classifyResponse(await options.post({ ...checked, headers, body: delivery.body, timeoutMs }))
  }
}
