import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Logger } from 'pino'
import * as z from 'zod'
import { commaList } from '../../config/config.ts'
import { nodeAddress } from './forwarded-node.ts'

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

const cidr = z.string().transform((text, ctx): Cidr => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text)
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

/** Joins an `X-Forwarded-…` header to one list. */
export function forwarded(
  headers: IncomingHttpHeaders,
  what: 'for' | 'proto' | 'host',
): string | undefined {
  const value = headers[`x-forwarded-${what}`]
  return Array.isArray(value) ? value.join() : value
}

/** Proxies whose `X-Forwarded-For` names the client of a request. */
export class TrustedProxies {
  readonly #networks: readonly Cidr[]
  readonly #log: Pick<Logger, 'warn'>
  #hasWarned = false

  constructor(networks: readonly Cidr[], log: Pick<Logger, 'warn'>) {
    this.#networks = networks
    this.#log = log
  }

  includes(address: string): boolean {
    const ip = this.#networks.length === 0 ? undefined : nodeAddress(address)?.ip
    if (ip === undefined) return false
    return this.#networks.some(
      ([network, prefix]) => network.kind() === ip.kind() && ip.match([network, prefix]),
    )
  }

  /**
   * Walks `X-Forwarded-For` from right to left while the hop is a trusted proxy. Entries left of an
   * untrusted hop may be forged and are ignored.
   */
  forwardedFor({ headers, socket }: Sender): ForwardedFor {
    const { remoteAddress = '' } = socket
    let client = nodeAddress(remoteAddress)?.plain ?? remoteAddress
    const trusted = this.includes(client)
    const list = trusted ? (forwarded(headers, 'for') ?? '') : ''
    // RFC 9110, section 5.6.1: a list may have empty elements.
    for (const hop of list.split(',').toReversed()) {
      if (hop.trim() === '') continue
      const address = nodeAddress(hop)
      if (address === undefined) {
        this.#warn(client, hop.trim())
        break
      }
      client = address.plain
      if (!this.includes(client)) break
    }
    return { client, trusted }
  }

  /** Once, because every request of the proxy has such a hop. */
  #warn(proxy: string, hop: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#log.warn(
      {
        proxy,
        hop: hop.slice(0, 100),
        remedy: 'Let the proxy write addresses: its clients share the limits of one client',
      },
      'forwarded.unreadable',
    )
  }
}
