import { promises as dns, type LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { rootCertificates } from 'node:tls'
import {
  AddressGuard,
  type HostLookup,
  NameUnresolvedError,
} from '@surehook/service-kit/outbound/address-guard'

export type GuardedRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string | number>>
  body?: string
  /** Project and environment. */
  tenant: string
  /** Ends the request, and the reading of its answer. */
  signal: AbortSignal
}

export type GuardedHttps = Disposable & {
  /** Resolves with the answer, whose body the caller reads or destroys. It follows no redirect. */
  send(sent: GuardedRequest): Promise<IncomingMessage>
}

const maxHeaderSize = 16_384

/** Sends requests over HTTPS to addresses that the guard allows. */
export function openGuardedHttps({
  guard,
  extraCa,
}: {
  guard: AddressGuard
  /** PEM certificates that are trusted in addition to the usual ones. */
  extraCa: readonly string[]
}): GuardedHttps {
  const agent = new Agent({ ca: [...rootCertificates, ...extraCa], keepAlive: false })
  return {
    async send({ method, url, headers, body, tenant, signal }) {
      const { hostname, protocol } = new URL(url)
      if (protocol !== 'https:') throw new Error('The URL must use https')
      guard.checkLiteral(hostname)
      return new Promise((resolve, reject) => {
        const lookup = guard.lookupFor(tenant)
        const options = { method, agent, maxHeaderSize, lookup, headers, signal }
        request(url, options).on('response', resolve).on('error', reject).end(body)
      })
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Opens it with a guard that lets some private networks through. */
export function openOutbound(options: {
  allowedNetworks: readonly string[]
  extraCa: readonly string[]
}) {
  const guard = new AddressGuard(options.allowedNetworks, openHostLookup())
  return { ...openGuardedHttps({ guard, extraCa: options.extraCa }), guard }
}

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Asks the name servers directly: `getaddrinfo` would occupy a thread that hashes passwords. */
export function openHostLookup(): HostLookup {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return {
    async resolve(hostname) {
      if (hostname === 'localhost') return loopback
      const [v4, v6] = await Promise.allSettled([
        resolver.resolve4(hostname),
        resolver.resolve6(hostname),
      ])
      const found = [
        ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
        ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
      ]
      if (found.length === 0) throw new NameUnresolvedError('The host has no address')
      return found
    },
  }
}
