import ipaddr from 'ipaddr.js'

/** Whether a text is an IPv4 address in four parts, or an IPv6 address. */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** Whether a text is an address, or a network as in 10.0.0.0/8. */
export const isNetwork = (text: string): boolean =>
  isAddress(text) || (isAddress(text.split('/')[0]!) && ipaddr.isValidCIDR(text))

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** By the list of a setting, which never changes. */
const parsedNetworks = new WeakMap<readonly string[], Network[]>()

function parseNetworks(texts: readonly string[]): Network[] {
  const known = parsedNetworks.get(texts)
  if (known) return known
  const parsed = texts.map((text): Network => {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  })
  parsedNetworks.set(texts, parsed)
  return parsed
}

/**
 * Whether an address is in one of some networks. IPv4 addresses may be written as IPv6, as servers for both do.
 * @param networks addresses and networks, each valid
 */
export function isAmong(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0 || !isAddress(address)) return false
  const known = ipaddr.process(address)
  return parseNetworks(networks).some(
    ([network, bits]) => known.kind() === network.kind() && known.match(network, bits),
  )
}

/** The rate limit key of an address. An IPv6 host has a whole /64, so all addresses of a /64 share one key. */
export function addressKey(address: string): string {
  if (address.includes('.') || !ipaddr.IPv6.isValid(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return network.map((group) => group.toString(16)).join(':')
}
