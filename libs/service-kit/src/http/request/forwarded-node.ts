import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type NodeAddress = {
  ip: ipaddr.IPv4 | ipaddr.IPv6
  /** Without port, brackets and zone. `::ffff:10.0.0.1` is `10.0.0.1`. */
  plain: string
  /** Network of one subscriber: an IPv4 address, or the /64 of an IPv6 address. */
  network: string
}

const port = /(?::(?:\d{1,5}|_[\w.-]+))?/.source
const zone = /(?:%[^\s\]]*)?/.source
/** An IPv4 address, or an IPv6 one that ends like it: `::ffff:10.1.2.3`. */
const dotted = /((?:[\dA-Fa-f:]*:)?\d+(?:\.\d+){3})/.source
const ipv6 = /([\dA-Fa-f.]*:[\dA-Fa-f:.]*)/.source
/** `10.1.2.3`, `10.1.2.3:4567`, `::ffff:10.1.2.3:4567`, `[2001:db8::1]`, `[2001:db8::1]:4567`, `2001:db8::1`. */
const nodeForm = new RegExp(`^(?:${dotted}${port}|\\[${ipv6}${zone}\\]${port}|${ipv6}${zone})$`)

/**
 * Cache: parsing costs ten times as much as a lookup, and most requests come from few addresses.
 */
const known = new Map<string, NodeAddress>()
const maxKnown = 4_096

/**
 * Reads the address of a node (RFC 7239, section 6) as proxies write it into `X-Forwarded-For`:
 * with or without port, brackets, quotes and zone. Returns `undefined` for a node without an
 * address, such as `unknown` or `_hidden`, and for any other text.
 */
export function nodeAddress(node: string): NodeAddress | undefined {
  const [, quad, bracketed, v6] = nodeForm.exec(unquoted(node.trim())) ?? []
  const text = quad ?? bracketed ?? v6 ?? ''
  const found = known.get(text)
  // Stricter than `ipaddr.isValid`, which takes `10` for 0.0.0.10.
  if (found !== undefined || isIP(text) === 0) return found
  const ip = ipaddr.process(text)
  const plain = ip.toString()
  const address = { ip, plain, network: ip instanceof ipaddr.IPv6 ? subscriberNetwork(ip) : plain }
  if (known.size >= maxKnown) known.clear()
  // Copied, because a substring would keep the whole header in memory.
  known.set(Buffer.from(text).toString(), address)
  return address
}

/** Network of one subscriber: an IPv4 address, or the /64 of an IPv6 address. */
export const clientNetwork = (address: string): string => nodeAddress(address)?.network ?? address

/** RFC 7239 quotes nodes with a colon. */
const unquoted = (text: string) => /^"(.*)"$/.exec(text)?.[1] ?? text

function subscriberNetwork({ parts }: ipaddr.IPv6): string {
  const network = parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
