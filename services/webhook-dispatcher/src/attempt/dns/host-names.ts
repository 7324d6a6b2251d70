import type { LookupAddress, RecordWithTtl } from 'node:dns'
import { promises as dns } from 'node:dns'
import { NameUnresolvedError } from '@surehook/service-kit/outbound/address-guard'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import { LRUCache } from 'lru-cache'
import { TimeLimit } from '../time-limit.ts'
import { parseHosts, readHosts } from './hosts-file.ts'

export type HostNamesOptions = {
  servers: Pick<dns.Resolver, 'resolve4' | 'resolve6'>
  /** The text of a hosts file. */
  hosts: string
  /** The limit of one lookup: its wait for a slot and all its queries. */
  withinMs: number
}

/** c-ares doubles it for the second try. */
const serverTimeoutMs = 2_000
const serverTries = 2
/**
 * A share of the attempt's limit, so that an unanswered lookup fails as a lookup and not as a
 * timeout of the attempt.
 */
const longestLookupMs = 4_000
const shareOfAttempt = 0.8
/** A server that drops the queries for one address family must not delay the other. */
const otherFamilyWithinMs = 300
/**
 * The shortest time between two queries for a name that fails. It is shorter than the first retry
 * delay.
 */
const askAgainAfterMs = 500
/** Addresses are cached for at most this time, whatever their TTL, so that a receiver may move. */
const longestKnownMs = 30_000
const maxNames = 10_000
/** Concurrent lookups, in all and of each tenant. */
const maxLookups = { all: 1_024, each: 64 }
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

type Addresses = readonly LookupAddress[]
type LookupResult = { addresses: Addresses; ttlMs: number }
type LookupRequest = { tenant: string; over: AbortSignal; hasAsked: boolean }

/**
 * Resolves names by asking the name servers directly. `getaddrinfo` would occupy one of the
 * process's few threads until it has an answer, so a few names with silent servers would block all
 * others. Names must be complete: there is no search list.
 *
 * Concurrent attempts of a tenant share a lookup of the same name. Failures are not cached: a later
 * attempt waits until the name may be asked again, and shares that answer.
 */
export class HostNames {
  readonly #options: HostNamesOptions
  readonly #hosts: ReadonlyMap<string, Addresses>
  readonly #known = new LRUCache<string, { addresses: Addresses; until: number }>({ max: maxNames })
  readonly #failedAt = new LRUCache<string, number>({ max: maxNames })
  /** By tenant and name, so that no tenant waits for another tenant's slot. */
  readonly #lookups = new Map<string, Promise<Addresses>>()
  readonly #slots = new FairSlots({ room: maxLookups })

  constructor(options: HostNamesOptions) {
    this.#options = options
    this.#hosts = parseHosts(options.hosts)
  }

  /** Rejects with `NameUnresolvedError`. */
  async resolve(name: string, tenant: string): Promise<Addresses> {
    const known = this.#localOf(name.toLowerCase()) ?? this.#knownOf(name)
    if (known) return known
    const key = `${tenant}\0${name}`
    const running = this.#lookups.get(key)
    if (running) return running
    const lookup = this.#lookUp(name, tenant).finally(() => this.#lookups.delete(key))
    this.#lookups.set(key, lookup)
    return lookup
  }

  #localOf(name: string): Addresses | undefined {
    const isLoopback = name === 'localhost' || name.endsWith('.localhost')
    return this.#hosts.get(name) ?? (isLoopback ? loopback : undefined)
  }

  #knownOf(name: string): Addresses | undefined {
    const known = this.#known.get(name)
    return known !== undefined && performance.now() < known.until ? known.addresses : undefined
  }

  async #lookUp(name: string, tenant: string): Promise<Addresses> {
    const { withinMs } = this.#options
    const over = new AbortController()
    const late = Promise.withResolvers<never>()
    using _limit = new TimeLimit(withinMs, () => {
      over.abort()
      late.reject(new NameUnresolvedError(`${name}: no answer within ${withinMs} ms`))
    })
    const asker = { tenant, over: over.signal, hasAsked: false }
    try {
      return await Promise.race([this.#askInSlot(name, asker), late.promise])
    } catch (err) {
      // A lookup that only waited proves nothing about the name. If it counted, a name with steady
      // demand would never be asked again.
      if (asker.hasAsked) this.#failedAt.set(name, performance.now())
      throw err
    }
  }

  async #askInSlot(name: string, asker: LookupRequest): Promise<Addresses> {
    await this.#mayAskAgain(name)
    const work = async () => {
      // Another tenant's lookup may have found it meanwhile.
      const known = this.#knownOf(name)
      if (known) return known
      asker.hasAsked = true
      const { addresses, ttlMs } = await this.#ask(name, asker.over)
      const until = performance.now() + Math.min(ttlMs, longestKnownMs)
      this.#known.set(name, { addresses, until })
      return addresses
    }
    return this.#slots.run(asker.tenant, work, { signal: asker.over })
  }

  async #mayAskAgain(name: string): Promise<void> {
    const failedAt = this.#failedAt.get(name)
    if (failedAt === undefined) return
    // At least half of the lookup's time remains for the answer.
    const afterMs = Math.min(askAgainAfterMs, this.#options.withinMs / 2)
    const waitMs = failedAt + afterMs - performance.now()
    if (waitMs <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, waitMs)
    await promise
  }

  async #ask(name: string, over: AbortSignal): Promise<LookupResult> {
    while (!over.aborted) {
      try {
        return await this.#askBothFamilies(name)
      } catch (err) {
        // c-ares measures wall-clock time, so a timeout before `TimeLimit` ends means that the
        // process stalled: ask again.
        if (!isTimeout(err))
          throw new NameUnresolvedError(`${name} cannot be resolved`, { cause: err })
      }
    }
    // The lookup has already failed with another error.
    throw new NameUnresolvedError(`${name}: no answer in time`)
  }

  async #askBothFamilies(name: string): Promise<LookupResult> {
    const { servers } = this.#options
    const found: (LookupAddress & { ttlMs: number })[] = []
    const ofFamily = async (family: 4 | 6, asked: Promise<RecordWithTtl[]>) => {
      for (const { address, ttl } of await asked)
        found.push({ address, family, ttlMs: ttl * 1_000 })
    }
    const answers = [
      ofFamily(4, servers.resolve4(name, { ttl: true })),
      ofFamily(6, servers.resolve6(name, { ttl: true })),
    ]
    await Promise.any(answers).catch((err: AggregateError) => {
      throw err.errors[0]
    })
    await settledWithin(otherFamilyWithinMs, answers)
    const addresses = found
      .map(({ address, family }) => ({ address, family }))
      .toSorted((a, b) => a.family - b.family)
    return { addresses, ttlMs: Math.min(...found.map(({ ttlMs }) => ttlMs)) }
  }
}

const isTimeout = (err: unknown) => (err as NodeJS.ErrnoException).code === 'ETIMEOUT'

async function settledWithin(ms: number, works: readonly Promise<void>[]): Promise<void> {
  const over = Promise.withResolvers<void>()
  using _limit = new TimeLimit(ms, over.resolve)
  await Promise.race([Promise.allSettled(works), over.promise])
}

export type SystemHostNamesOptions = {
  /** The time limit of a whole attempt. */
  timeoutMs: number
  /** Each `address` or `address:port`. The default is this machine's name servers. */
  servers?: readonly string[]
}

/** Uses this machine's name servers and hosts file, which are read once. */
export function systemHostNames({ timeoutMs, servers }: SystemHostNamesOptions): HostNames {
  const resolver = new dns.Resolver({ timeout: serverTimeoutMs, tries: serverTries })
  if (servers !== undefined) resolver.setServers(servers)
  const withinMs = Math.min(longestLookupMs, shareOfAttempt * timeoutMs)
  return new HostNames({ servers: resolver, hosts: readHosts(), withinMs })
}
