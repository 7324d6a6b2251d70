import { promises as dns, type LookupAddress } from 'node:dns'
import { Agent, request } from 'node:https'
import { rootCertificates } from 'node:tls'
import {
  AddressGuard,
  type HostLookup,
  NameUnresolvedError,
} from '@surehook/service-kit/outbound/address-guard'

export type ChatPost = {
  url: string
  body: object
  /** Project and environment. */
  tenant: string
}

export type ChatTransport = Disposable & {
  /** Resolves when the chat has accepted the message. Errors never name the URL. */
  post(post: ChatPost): Promise<void>
}

export class ChatRefusedError extends Error {
  override readonly name = 'ChatRefusedError'
  /** True if the chat will refuse the message again. */
  readonly isFinal: boolean
  constructor(status: number) {
    super(`The chat answered ${status}`)
    this.isFinal = status < 500 && status !== 408 && status !== 429
  }
}

const withinMs = 10_000
const maxHeaderSize = 16_384

/** Posts over HTTPS to addresses that the guard allows. It follows no redirect. */
export function openChatTransport({
  guard,
  extraCa,
}: {
  guard: AddressGuard
  /** PEM certificates that are trusted in addition to the usual ones. */
  extraCa: readonly string[]
}): ChatTransport {
  const agent = new Agent({ ca: [...rootCertificates, ...extraCa], keepAlive: false })
  return {
    async post({ url, body, tenant }) {
      const { hostname, protocol } = new URL(url)
      if (protocol !== 'https:') throw new Error('The URL of a chat must use https')
      guard.checkLiteral(hostname)
      const text = JSON.stringify(body)
      const status = await new Promise<number>((resolve, reject) => {
        const sent = request(url, {
          ...{ method: 'POST', agent, maxHeaderSize, lookup: guard.lookupFor(tenant) },
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
          signal: AbortSignal.timeout(withinMs),
        })
        sent.on('response', (answer) => {
          resolve(answer.statusCode ?? 0)
          // Nobody reads the rest.
          answer.destroy()
        })
        sent.on('error', reject)
        sent.end(text)
      })
      if (status < 200 || status > 299) throw new ChatRefusedError(status)
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Opens the transport with a guard that lets some private networks through. */
export function openChats(options: {
  allowedNetworks: readonly string[]
  extraCa: readonly string[]
}) {
  const guard = new AddressGuard(options.allowedNetworks, openHostLookup())
  return { ...openChatTransport({ guard, extraCa: options.extraCa }), guard }
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
      if (found.length === 0) throw new NameUnresolvedError('The host of the chat has no address')
      return found
    },
  }
}
