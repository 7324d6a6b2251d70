import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { commaList } from '../../config/config.ts'

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

const cidr = z.string().transform((text, ctx): Cidr => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (ipaddr.isValid(text)) {
    const address = ipaddr.parse(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  ctx.addIssue({ code: 'custom', message: `"${text}" is not an address or CIDR` })
  return z.NEVER
})

/** Proxies of a variable: `10.0.0.0/8, ::1`. */
export const proxyList = commaList.pipe(z.array(cidr))

/** Variables of services behind the gateway. */
export const gatewayEnv = {
  /**
   * Addresses of the gateway. Any other peer counts as the client itself, regardless of its
   * headers.
   */
  AUTH_TRUSTED_PROXIES: proxyList.prefault('127.0.0.0/8,::1/128'),
}

export type ForwardedFor = {
  /** The nearest address that is not one of our proxies. */
  client: string
  /**
   * True if the connection comes from a trusted proxy, whose other headers are then trusted too.
   */
  trusted: boolean
}

export type Sender = {
  headers: IncomingHttpHeaders
  socket: { readonly remoteAddress?: string | undefined }
}

/** Client of a request by its connection and `X-Forwarded-For`. */
export const forwardedClient = ({ headers, socket }: Sender, trustedProxies: readonly Cidr[]) =>
  clientAddress(socket.remoteAddress ?? '', forwarded(headers, 'for'), trustedProxies)

/** Joins an `X-Forwarded-…` header to one list. */
export function forwarded(
  headers: IncomingHttpHeaders,
  what: 'for' | 'proto' | 'host',
): string | undefined {
  const value = headers[`x-forwarded-${what}`]
  return Array.isArray(value) ? value.join() : value
}

/**
 * Walks `X-Forwarded-For` from right to left while the hop is a trusted proxy. Entries left of an
 * untrusted hop may be forged and are ignored.
 */
export function clientAddress(
  socketAddress: string,
  list: string | undefined,
  trustedProxies: readonly Cidr[],
): ForwardedFor {
  let client = plainAddress(socketAddress) ?? socketAddress
  const trusted = isTrusted(client, trustedProxies)
  if (!trusted || list === undefined) return { client, trusted }
  for (const hop of list.split(',').toReversed()) {
    const address = plainAddress(hop.trim())
    if (address === null) break
    client = address
    if (!isTrusted(client, trustedProxies)) break
  }
  return { client, trusted }
}

/** Network of one subscriber: an IPv4 address, or the /64 of an IPv6 address. */
export const clientNetwork = (address: string): string => parsed(address)?.network ?? address

/** Maps `::ffff:10.0.0.1` to `10.0.0.1`. */
const plainAddress = (text: string): string | null => parsed(text)?.plain ?? null

function isTrusted(address: string, trustedProxies: readonly Cidr[]): boolean {
  const ip = trustedProxies.length === 0 ? undefined : parsed(address)?.ip
  if (ip === undefined) return false
  return trustedProxies.some(
    ([network, prefix]) => network.kind() === ip.kind() && ip.match([network, prefix]),
  )
}

type ParsedAddress = { ip: ipaddr.IPv4 | ipaddr.IPv6; plain: string; network: string }

/**
 * Cache: parsing costs ten times as much as a lookup, and most requests come from few addresses.
 */
const known = new Map<string, ParsedAddress>()
const maxKnown = 4_096

/** Returns `undefined` for text that is no address. */
function parsed(text: string): ParsedAddress | undefined {
  const found = known.get(text)
  if (found !== undefined || !ipaddr.isValid(text)) return found
  const ip = ipaddr.process(text)
  const plain = ip.toString()
  const address = { ip, plain, network: ip instanceof ipaddr.IPv6 ? networkOf(ip) : plain }
  if (known.size >= maxKnown) known.clear()
  // Copied, because a substring would keep the whole header in memory.
  known.set(Buffer.from(text).toString(), address)
  return address
}

function networkOf({ parts }: ipaddr.IPv6): string {
  const network = parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
