import type { LookupAddress } from 'node:dns'
import { promises as dns } from 'node:dns'
import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { ConcurrencyLimit } from './concurrency-limit.ts'

export class NameUnresolvedError extends Error {
  readonly code = 'NAME_UNRESOLVED'
}

export type HostNamesOptions = {
  servers: Pick<dns.Resolver, 'resolve4' | 'resolve6'>
  /** Text of a hosts file. */
  hosts: string
}

/** c-ares doubles it for the second try. */
const serverTimeoutMs = 2_000
const serverTries = 2
/** Less than an attempt has by default, so that it fails as what it is. */
const resolveWithinMs = 4_000
/** A server that drops the questions for one family must not hold up the other. */
const otherFamilyWithinMs = 300
const unresolvedForMs = 3_000
const maxUnresolved = 10_000
const maxLookups = { each: 64, all: 1_024 }
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Addresses of names, asked from the name servers without `getaddrinfo`: that occupies one of a few
 * threads of the process until it has an answer, so that some names whose servers are silent would
 * keep every other name waiting. Names must be complete: there is no search list.
 */
export class HostNames {
  readonly #servers: HostNamesOptions['servers']
  readonly #hosts: ReadonlyMap<string, readonly LookupAddress[]>
  readonly #running = new Map<string, Promise<LookupAddress[]>>()
  readonly #unresolved = new LRUCache<string, Unresolved>({ max: maxUnresolved })
  readonly #turns = new ConcurrencyLimit(maxLookups)

  constructor({ servers, hosts }: HostNamesOptions) {
    this.#servers = servers
    this.#hosts = parseHosts(hosts)
  }

  /** @param onBehalfOf whose silent names may wait for each other; others do not wait for them */
  async resolve(name: string, onBehalfOf: string): Promise<readonly LookupAddress[]> {
    const local = this.#localOf(name.toLowerCase())
    if (local) return local
    let overdue = false
    const found = this.#turns.run(onBehalfOf, () =>
      // Nobody waits for it any more.
      overdue ? Promise.reject(tooLate(name)) : this.#lookUp(name),
    )
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      overdue = true
      reject(tooLate(name))
    }, resolveWithinMs)
    try {
      return await Promise.race([found, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #localOf(name: string): readonly LookupAddress[] | undefined {
    const isLoopback = name === 'localhost' || name.endsWith('.localhost')
    return this.#hosts.get(name) ?? (isLoopback ? loopback : undefined)
  }

  #lookUp(name: string): Promise<LookupAddress[]> {
    const failed = this.#unresolved.get(name)
    if (failed && performance.now() < failed.until) return Promise.reject(failed.err)
    const running = this.#running.get(name)
    if (running) return running
    const lookup = this.#ask(name)
      .catch((err: NameUnresolvedError) => {
        this.#unresolved.set(name, { err, until: performance.now() + unresolvedForMs })
        throw err
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, lookup)
    return lookup
  }

  async #ask(name: string): Promise<LookupAddress[]> {
    const found: LookupAddress[] = []
    const ofFamily = async (family: 4 | 6, asked: Promise<string[]>) => {
      for (const address of await asked) found.push({ address, family })
    }
    const answers = [
      ofFamily(4, this.#servers.resolve4(name)),
      ofFamily(6, this.#servers.resolve6(name)),
    ]
    try {
      await Promise.any(answers)
    } catch (err) {
      const cause: unknown = err instanceof AggregateError ? err.errors[0] : err
      throw new NameUnresolvedError(`${name} cannot be resolved`, { cause })
    }
    await settledWithin(otherFamilyWithinMs, answers)
    return found.toSorted((a, b) => a.family - b.family)
  }
}

type Unresolved = { err: NameUnresolvedError; until: number }

const tooLate = (name: string) =>
  new NameUnresolvedError(`${name}: no answer within ${resolveWithinMs} ms`)

async function settledWithin(ms: number, works: readonly Promise<void>[]): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([Promise.allSettled(works), over])
  clearTimeout(timer)
}

/** The name servers and the hosts file of this machine, read once. */
export function systemHostNames(): HostNames {
  const servers = new dns.Resolver({ timeout: serverTimeoutMs, tries: serverTries })
  return new HostNames({ servers, hosts: readHosts() })
}

function readHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    // A container may have none: then the name servers know every name.
    return ''
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (address === undefined || address === '') continue
    const family = address.includes(':') ? 6 : 4
    for (const name of names.map((one) => one.toLowerCase())) {
      const known = hosts.get(name) ?? []
      hosts.set(
        name,
        [...known, { address, family }].toSorted((a, b) => a.family - b.family),
      )
    }
  }
  return hosts
}
