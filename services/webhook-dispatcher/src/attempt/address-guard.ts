import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export class AddressBlockedError extends Error {
  readonly code = 'SSRF_BLOCKED'
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** RFC 6052 §2.1 well-known and RFC 8215 local-use NAT64 prefixes: an IPv4 address in the last 32 bits. */
const nat64 = [ipaddr.parseCIDR('64:ff9b::/96'), ipaddr.parseCIDR('64:ff9b:1::/48')]
/** RFC 4291 §2.5.5.1, deprecated. */
const ipv4Compatible = ipaddr.parseCIDR('::/96')

/**
 * Decides which addresses a delivery may connect to: the public ones, and the networks that the
 * operator opened. Everything else (private, loopback, link-local, shared, metadata, reserved, and
 * IPv6 forms that embed such an address) is refused.
 */
export class AddressGuard {
  readonly #allowed: readonly Network[]

  /** @param allowedNetworks CIDRs */
  constructor(allowedNetworks: readonly string[]) {
    this.#allowed = allowedNetworks.map((cidr) => ipaddr.parseCIDR(cidr))
  }

  allows(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = embedded(ipaddr.parse(text))
    return (
      address.range() === 'unicast' || this.#allowed.some((network) => within(address, network))
    )
  }

  /** Throws `AddressBlockedError` when `host` is an address literal that is not allowed; names pass. */
  checkLiteral(host: string): void {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host
    if (ipaddr.isValid(literal) && !this.allows(literal)) throw blocked(literal)
  }

  /**
   * For `net.connect`: resolves, and fails when any address of the answer is not allowed. The
   * address that was checked is the one connected to, so that a second answer cannot differ.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const all: LookupOptions = { ...options, all: true }
    systemLookup(hostname, all, (err, found) => {
      if (err) return callback(err, '', 0)
      const addresses = found as unknown as LookupAddress[]
      const refused = addresses.find(({ address }) => !this.allows(address))
      const [first] = addresses
      if (refused || !first) return callback(blocked(refused?.address ?? hostname), '', 0)
      if (options.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

const blocked = (address: string) =>
  new AddressBlockedError(`connections to ${address} are not allowed`)

function within(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** The IPv4 address inside an IPv6 form that embeds one, else the address itself. */
function embedded(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const embeds = nat64.some((network) => within(address, network)) || isCompatible(address)
  return embeds ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

function isCompatible(address: ipaddr.IPv6): boolean {
  const text = address.toString()
  return within(address, ipv4Compatible) && text !== '::1' && text !== '::'
}
