import { isIPv4, isIPv6 } from 'node:net'
import { type Cidr, clientNetwork, forwardedClient, type Sender } from './client-address.ts'

/**
 * Client of a request, for limits. It is the address that our gateway wrote into `X-Forwarded-For`;
 * the gateway must be a trusted proxy. For any other peer it is the address of the connection. IPv6
 * addresses count by /64, the network of one subscriber.
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

const withoutZone = (address: string) => address.replace(/%.*$/, '')
