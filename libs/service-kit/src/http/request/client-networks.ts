import { isIPv4, isIPv6 } from 'node:net'

/**
 * Network of a counted client: /48 for IPv6, /24 for IPv4. These are the smallest networks that the
 * Internet routes. One sender often has all addresses of one, but seldom has many.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  const [groups] = address.split('::/64')
  return isIPv6(address.replace(/\/64$/, ''))
    ? `${groups?.split(':').slice(0, 3).join(':')}::/48`
    : address
}

/**
 * Key of limits that a client could evade with a new address: the IPv4 address itself, or the /48
 * of an IPv6 address, because anyone can get all /64 networks of a /48.
 */
export const limitKeyOf = (address: string): string =>
  isIPv4(address) ? address : networkOf(address)
