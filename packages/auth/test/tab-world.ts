import type { Clock } from '../src/clock.ts'
import { AuthError } from '../src/errors.ts'
import type { LoggedIn, TokenPair } from '../src/generated/types.gen.ts'
import type { Message } from '../src/session/other-tabs.ts'
import { Sessions, type SessionsParts } from '../src/session/sessions.ts'
import type { AuthStorage } from '../src/storage/auth-storage.ts'
import type { Scope } from '../src/storage/open-storage.ts'
import { VirtualClock } from './virtual-clock.ts'

export const user = { id: 'u', email: 'ada@example.com', firstName: '', lastName: '', roles: [] }

/** A signed token that lives for a minute, of a service whose clock is a day ahead. */
export function accessToken(name: string, seconds = 60): string {
  const iat = 2_000_000_000
  const claims = { name, iat, exp: iat + seconds }
  return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
}

export const loggedIn: LoggedIn = { accessToken: accessToken('0'), refreshToken: 'r0', user }

/** auth-service for one session: a token that comes twice ends it, after `reuseInterval`. */
export class FakeService {
  readonly exchanged: string[] = []
  isEnded = false
  /** Milliseconds until the service has the request, and the same until the answer is back. */
  latency = 40
  reuseInterval = 0
  #current = 0
  #exchangedAt = 0
  #running = 0
  mostAtOnce = 0
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async exchange(refreshToken: string): Promise<TokenPair> {
    this.#running++
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running)
    try {
      await this.#pass(this.latency)
      return await this.#decide(refreshToken)
    } finally {
      this.#running--
    }
  }

  async #decide(refreshToken: string): Promise<TokenPair> {
    this.exchanged.push(refreshToken)
    const isRepeat = refreshToken === `r${this.#current - 1}`
    const age = this.#clock.now() - this.#exchangedAt
    if (!this.isEnded && refreshToken === `r${this.#current}`) {
      this.#current++
      this.#exchangedAt = this.#clock.now()
    } else if (this.isEnded || !isRepeat || age > this.reuseInterval) {
      this.isEnded = true
      throw new AuthError('refused', { code: 'AUTH_TOKEN_INVALID', status: 401 })
    }
    const name = String(this.#current)
    await this.#pass(this.latency)
    return { accessToken: accessToken(name), refreshToken: `r${name}` }
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve))
  }
}

export type Delays = { message: () => number; storage: () => number }

type TabOptions = Partial<Pick<SessionsParts, 'clock' | 'exchange' | 'lock'>> & {
  scope?: Scope
  storage?: AuthStorage
}

/**
 * Tabs of one origin, with the delays of a browser: each process sees the storage of its own, and
 * writes of others arrive later. Time is virtual.
 */
export class TabWorld {
  readonly clock = new VirtualClock()
  readonly service = new FakeService(this.clock)
  /** All messages that were sent. */
  readonly messages: Message[] = []
  delays: Delays = { message: () => 1, storage: () => 1 }
  readonly #views = new Map<string, View>()
  readonly #receivers = new Map<string, (message: Message) => void>()
  readonly #written: View = new Map()
  #writes = 0
  /** When the latest message or write arrives on each way: none overtakes another. */
  readonly #arrivals = new Map<string, number>()

  tab(name: string, { scope = 'shared', clock = this.clock, ...rest }: TabOptions = {}): Sessions {
    const { storage = this.storageOf(name, scope === 'shared'), ...parts } = rest
    this.#views.set(name, new Map(this.#written))
    return new Sessions({
      key: 'k',
      opened: { storage, scope },
      openTabs: (_, receive) => {
        this.#receivers.set(name, receive)
        return {
          post: (message) => this.#post(name, message),
          close: () => this.#receivers.delete(name),
        }
      },
      clock,
      exchange: (token) => this.service.exchange(token),
      refreshAhead: 30_000,
      ...parts,
    })
  }

  /** What a tab stored. */
  storedOf(name: string): View {
    return new Map(this.#views.get(name))
  }

  /** A tab with a storage of its own that begins with this. */
  copy(name: string, stored: View): Sessions {
    const tab = this.tab(name, { scope: 'copied' })
    this.#views.set(name, stored)
    return tab
  }

  /** The process is gone: nothing arrives, and nothing is sent. */
  kill(name: string): void {
    this.#receivers.delete(name)
    this.#views.delete(name)
  }

  storageOf(name: string, isShared: boolean) {
    return {
      getItem: (key: string) => this.#views.get(name)?.get(key)?.value ?? null,
      setItem: (key: string, value: string) => this.#write(name, key, value, isShared),
      removeItem: (key: string) => this.#write(name, key, null, isShared),
    }
  }

  #write(name: string, key: string, value: string | null, isShared: boolean): void {
    const own = this.#views.get(name)
    if (own === undefined) return
    const item = { value, order: ++this.#writes }
    own.set(key, item)
    if (!isShared) return
    this.#written.set(key, item)
    for (const [other, view] of this.#views) {
      if (other === name) continue
      // The browser has one order of writes, and every process ends at the last one.
      this.#arrive(`storage ${name} ${other}`, this.delays.storage(), () => {
        if ((view.get(key)?.order ?? 0) > item.order) return
        view.set(key, item)
        this.#receivers.get(other)?.({ kind: 'hint' })
      })
    }
  }

  #post(from: string, message: Message): void {
    if (!this.#views.has(from)) return
    this.messages.push(message)
    for (const [name, receive] of this.#receivers) {
      if (name === from) continue
      this.#arrive(`message ${from} ${name}`, this.delays.message(), () => {
        if (this.#receivers.has(name)) receive(structuredClone(message))
      })
    }
  }

  #arrive(way: string, delay: number, effect: () => void): void {
    const at = Math.max(this.clock.now() + delay, this.#arrivals.get(way) ?? 0)
    this.#arrivals.set(way, at)
    this.clock.after(at - this.clock.now(), effect)
  }
}

type View = Map<string, { value: string | null; order: number }>
