/** Checks webhook addresses: they must lead to the public internet, never into an internal network. */
import ipaddr from 'ipaddr.js'
import { AppError } from '../errors.ts'

export interface AddressRules {
  /** Resolves a host name to all its IP addresses; none if there is no such name. Rejects if DNS does not answer; `AppError`s are passed on. */
  resolveHost(name: string): Promise<string[]>
  /** Allows loopback, private networks, internal names and plain HTTP. For tests only. */
  allowPrivate: boolean
}

interface CheckedAddress {
  url: URL
  /** IP addresses of the host: at least one, all allowed. Connections may go only to these. */
  addresses: string[]
}

type AddressRefusal =
  | 'not_a_url'
  | 'too_long'
  | 'not_https'
  | 'has_credentials'
  | 'port_invalid'
  | 'host_invalid'
  | 'host_not_public'
  | 'host_unresolved'
  | 'lookup_failed'

const lengthMax = 2048

/** Domains that exist only inside a network, with all their subdomains. */
const innerDomains = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa']

/** Metadata services of clouds whose addresses or names look public. */
const metadataHosts = [
  '168.63.129.16',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
]

/** Ranges that `allowPrivate` adds. Link-local addresses are not included, since metadata services use them. */
const privateRanges = new Set(['loopback', 'private', 'uniqueLocal'])

/** The block of all public IPv6 addresses; IPv4-compatible ones, for example, are outside. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

// The same text for a name that does not exist and an internal one, so that callers cannot probe names of the internal network.
const hostMessage = 'The host of a webhook address must resolve to publicly routable IP addresses only'

const messages: Record<AddressRefusal, string> = {
  not_a_url: 'A webhook address must be an absolute URL',
  too_long: `A webhook address may have ${lengthMax} characters at most`,
  not_https: 'A webhook address must start with https://',
  has_credentials: 'A webhook address may not carry a user name or a password',
  port_invalid: 'A webhook address may not name port 0',
  host_invalid: hostMessage,
  host_not_public: hostMessage,
  host_unresolved: hostMessage,
  lookup_failed: `DNS does not answer for the host of the webhook address. ${hostMessage}`,
}

const refusedAddress = (refusal: AddressRefusal, member = 'resolution_endpoint'): AppError =>
  new AppError('value_invalid', messages[refusal], { details: { key_path: member }, place: member })

function isAllowedIp(text: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(text) || metadataHosts.includes(text)) return false
  const address = ipaddr.parse(text)
  const range = address.range()
  if (allowPrivate && privateRanges.has(range)) return true
  // Addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo) have other ranges, so they are refused too.
  return range === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast))
}

function isInnerName(name: string): boolean {
  return (
    !name.includes('.') ||
    metadataHosts.includes(name) ||
    innerDomains.some((domain) => name === domain || name.endsWith(`.${domain}`))
  )
}

/** Whether an IPv4 address is written as four decimal numbers, not as `0x7f.1` or `2130706433`. */
function isPlainlyWritten(text: string, { protocol, hostname }: URL): boolean {
  const start = `${protocol}//${hostname}`
  return text.toLowerCase().startsWith(start) && /^([:/?#]|$)/.test(text.slice(start.length))
}

function findFormRefusal(text: string, url: URL, allowPrivate: boolean): AddressRefusal | null {
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'not_https'
  if (url.username !== '' || url.password !== '') return 'has_credentials'
  if (url.port === '0') return 'port_invalid'
  if (url.hostname === '' || url.hostname.endsWith('.')) return 'host_invalid'
  if (ipaddr.IPv4.isValid(url.hostname)) return isPlainlyWritten(text, url) ? null : 'host_invalid'
  const isName = !url.hostname.startsWith('[')
  return isName && !allowPrivate && isInnerName(url.hostname) ? 'host_not_public' : null
}

function readWebhookUrl(text: string, allowPrivate: boolean): URL | AddressRefusal {
  if (text.length > lengthMax) return 'too_long'
  if (!URL.canParse(text)) return 'not_a_url'
  const url = new URL(text)
  return findFormRefusal(text, url, allowPrivate) ?? url
}

/** The host of a URL as resolvers and sockets expect it: an IPv6 address without brackets. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

async function resolveAddresses(host: string, rules: AddressRules): Promise<string[] | AddressRefusal> {
  if (ipaddr.isValid(host)) return [host]
  try {
    return await rules.resolveHost(host)
  } catch (error) {
    if (error instanceof AppError) throw error
    return 'lookup_failed'
  }
}

/**
 * Checks a webhook address and resolves its host, before each delivery. A refusal is a value.
 * @throws {AppError} `overloaded` if the host cannot be looked up now
 */
export async function inspectWebhookAddress(
  text: string,
  rules: AddressRules,
): Promise<CheckedAddress | AddressRefusal> {
  const url = readWebhookUrl(text, rules.allowPrivate)
  if (typeof url === 'string') return url
  const addresses = await resolveAddresses(bareHost(url), rules)
  if (typeof addresses === 'string') return addresses
  if (addresses.length === 0) return 'host_unresolved'
  const allAllowed = addresses.every((address) => isAllowedIp(address, rules.allowPrivate))
  return allAllowed ? { url, addresses } : 'host_not_public'
}

/**
 * Checks a webhook address when a caller sets it: HTTPS, no credentials, at most 2048 characters, and a host with only
 * public unicast IP addresses.
 * @param member of the request that names it
 * @throws {AppError} `overloaded`; `value_invalid`, whose message does not repeat the address
 */
export async function checkWebhookAddress(
  text: string,
  rules: AddressRules,
  member?: string,
): Promise<CheckedAddress> {
  const checked = await inspectWebhookAddress(text, rules)
  if (typeof checked === 'string') throw refusedAddress(checked, member)
  return checked
}

/**
 * Checks a webhook address that is only repeated in the answer: its form, and the IP address if it names one.
 * @throws {AppError} `value_invalid`, whose message does not repeat the address
 */
export function checkWebhookForm(text: string, allowPrivate: boolean): void {
  const url = readWebhookUrl(text, allowPrivate)
  if (typeof url === 'string') throw refusedAddress(url)
  const host = bareHost(url)
  if (ipaddr.isValid(host) && !isAllowedIp(host, allowPrivate)) throw refusedAddress('host_not_public')
}
