import ipaddr from 'ipaddr.js'

/** Whether a text is an IPv4 address in four parts, or an IPv6 address. */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** The rate limit key of an address. An IPv6 host has a whole /64, so all addresses of a /64 share one key. */
export function addressKey(address: string): string {
  if (address.includes('.') || !ipaddr.IPv6.isValid(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return network.map((group) => group.toString(16)).join(':')
}
