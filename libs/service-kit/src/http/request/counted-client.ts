import { isIPv4, isIPv6 } from 'node:net'
import { type Cidr, clientNetwork, forwardedClient, type Sender } from './client-address.ts'

/**
 * Who sent the request, as limits count: the address that our gateway, which has to be among the trusted
 * proxies, wrote into `X-Forwarded-For`; of anybody else the connection's own. IPv6 by /64, which is what
 * one subscriber has.
 */
export function countedClient(
  { headers, socket }: Sender,
  trustedProxies: readonly Cidr[],
): string {
  const remoteAddress = withoutZone(socket.remoteAddress ?? '')
  const { client } = forwardedClient({ headers, socket: { remoteAddress } }, trustedProxies)
  return isIPv6(withoutZone(client)) ? clientNetwork(withoutZone(client)) : client.slice(0, 64)
}

/**
 * The network of a counted client: /48 for IPv6, /24 for IPv4. These are the smallest networks that the Internet
 * routes, so that one sender seldom has many of them and often all addresses of one.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  const [groups] = address.split('::/64')
  return isIPv6(address.replace(/\/64$/, ''))
    ? `${groups?.split(':').slice(0, 3).join(':')}::/48`
    : address
}

/**
 * Whom a counted client shares a limit with where a new address would be a new limit: an IPv4 address stands for
 * itself, an IPv6 one for its /48, since anybody can have all the /64 networks of one.
 */
export const forgerOf = (address: string): string =>
  isIPv4(address) ? address : networkOf(address)

const withoutZone = (address: string) => address.replace(/%.*$/, '')
