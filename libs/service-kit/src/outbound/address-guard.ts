import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export class AddressBlockedError extends Error {
  readonly code = 'SSRF_BLOCKED'
}

/** A failed lookup. All attempts that shared the lookup fail with the same object. */
export class NameUnresolvedError extends Error {
  readonly code = 'NAME_UNRESOLVED'
}

export type HostLookup = {
  /** Rejects with `NameUnresolvedError`. Lookups of one owner do not delay those of others. */
  resolve(hostname: string, owner: string): Promise<readonly LookupAddress[]>
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/**
 * An IPv4 address in the last 32 bits (RFC 6052 §2.1). In local-use NAT64 addresses (RFC 8215) its
 * position depends on the prefix, so those are refused like all addresses that are not public.
 */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')
/** The only IPv6 addresses that IANA has given out for unicast. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')
/** Deprecated IPv4-compatible addresses (RFC 4291 §2.5.5.1). */
const ipv4Compatible = ipaddr.parseCIDR('::/96')

/**
 * Decides which addresses a request may connect to: public ones, and the networks that the
 * operator allows. Every other address is refused: private, loopback, link-local, shared, metadata,
 * reserved and unassigned ones, and IPv6 forms that embed such an address.
 */
export class AddressGuard {
  readonly #allowed: readonly Network[]
  readonly #names: HostLookup

  /** @param allowedNetworks CIDRs */
  constructor(allowedNetworks: readonly string[], names: HostLookup) {
    this.#allowed = allowedNetworks.map((cidr) => ipaddr.parseCIDR(cidr))
    this.#names = names
  }

  allows(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = embedded(ipaddr.parse(text))
    return isPublic(address) || this.#allowed.some((network) => within(address, network))
  }

  /**
   * Throws `AddressBlockedError` if `host` is an address literal that is not allowed. Names pass.
   */
  checkLiteral(host: string): void {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host
    if (ipaddr.isValid(literal) && !this.allows(literal)) throw blocked()
  }

  /**
   * Returns a lookup for `net.connect`. It fails if any address of the name is not allowed. The
   * socket connects to the checked address, so a second DNS answer cannot differ.
   */
  lookupFor(owner: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname, { family: familyOf(options.family), owner }).then(
        ([first, ...others]) => {
          if (options.all) return callback(null, [first, ...others])
          callback(null, first.address, first.family)
        },
        (err: Error) => callback(err, '', 0),
      )
    }
  }

  async #resolve(
    hostname: string,
    { family, owner }: { family: number; owner: string },
  ): Promise<[LookupAddress, ...LookupAddress[]]> {
    const found = await this.#names.resolve(hostname, owner)
    if (found.some(({ address }) => !this.allows(address))) throw blocked()
    const [first, ...others] = found.filter((one) => family === 0 || one.family === family)
    if (!first) throw new NameUnresolvedError(`${hostname} has no IPv${family} address`)
    return [first, ...others]
  }
}

function familyOf(family: number | string | undefined): number {
  if (typeof family === 'string') return family === 'IPv4' ? 4 : 6
  return family ?? 0
}

/**
 * The message omits the resolved address: users read it, and the resolver may know internal
 * names.
 */
const blocked = () =>
  new AddressBlockedError('connections to an address that is not public are not allowed')

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || within(address, globalUnicast)
}

function within(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** Returns the IPv4 address embedded in an IPv6 address, or else the address itself. */
function embedded(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const embeds = within(address, nat64) || isCompatible(address) || isIsatap(address)
  return embeds ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

/** The interface of a tunnel to an IPv4 address (RFC 5214 §6.1), whatever the prefix. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe

function isCompatible(address: ipaddr.IPv6): boolean {
  const text = address.toString()
  return within(address, ipv4Compatible) && text !== '::1' && text !== '::'
}
