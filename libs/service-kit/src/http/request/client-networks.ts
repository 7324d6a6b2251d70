import { isIPv4, isIPv6 } from 'node:net'

/**
 * The routed network of a counted client: /48 for IPv6, /24 for IPv4. These are the smallest networks
 * that the Internet routes. One sender often has all addresses of one, but seldom has many.
 */
export function routedNetwork(address: string): string {
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
  isIPv4(address) ? address : routedNetwork(address)

/** A network that a client is counted in. `budget`: how many times the limit of a client it has. */
export type CountedNetwork = { readonly network: string; readonly budget: number }

/**
 * The networks that a counted client is in. A customer of IPv6 has a /64, a /56 or a /48. The larger
 * ones are often shared, so that they have larger budgets.
 */
export function countedNetworks(address: string): readonly CountedNetwork[] {
  const client = { network: address, budget: 1 }
  const [, site, subnet] = ipv6Client.exec(address) ?? []
  if (site === undefined || subnet === undefined) return [client]
  const high = (Number.parseInt(subnet, 16) & 0xff00).toString(16)
  return [
    client,
    { network: `${site}:${high}::/56`, budget: 2 },
    { network: routedNetwork(address), budget: 4 },
  ]
}

/** As `countedClient` writes it: four groups. */
const ipv6Client = /^([\da-f]+:[\da-f]+:[\da-f]+):([\da-f]+)::\/64$/
