import { type Clock, orAborted } from '../clock.ts'
import { AuthError, SignedOutError } from '../errors.ts'
import type { LoggedIn, PublicUser, TokenPair } from '../generated/types.gen.ts'
import type { OpenedStorage } from '../storage/open-storage.ts'
import { TolerantStorage } from '../storage/tolerant-storage.ts'
import type { Lock } from '../tabs/lock.ts'
import { randomId } from '../transport/random-id.ts'
import type { AuthChange, EndReason } from './changes.ts'
import { Lease } from './lease.ts'
import { type LeaseMessage, type Message, noTabs, type OpenTabs, type Tabs } from './other-tabs.ts'
import { Refresher } from './refresher.ts'
import { changeBetween, freshness, isNewer, type Session, startSession } from './session.ts'
import { SessionStore } from './session-store.ts'

export type SessionsParts = {
  key: string
  opened: OpenedStorage
  openTabs: OpenTabs
  clock: Clock
  exchange: (refreshToken: string) => Promise<TokenPair>
  /** Milliseconds before its expiry in which a token is refreshed. */
  refreshAhead: number
  lock?: Lock | undefined
}

/** The session of this tab, kept the same in all tabs. */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #store: SessionStore
  readonly #tabs: Tabs
  readonly #lease: Lease | undefined
  readonly #refresher: Refresher
  readonly #listeners = new Set<(change: AuthChange) => void>()
  #announced: Session | null = null
  #announcing: Promise<void>
  #isLeaving = false

  constructor(parts: SessionsParts) {
    const { key, opened, clock, exchange, lock } = parts
    const { scope } = opened
    const storage = new TolerantStorage(opened.storage)
    const isAlone = scope === 'page'
    this.#parts = parts
    this.#store = new SessionStore(storage, key, scope)
    const open = isAlone ? noTabs : parts.openTabs
    const tabs = open(key, (message) => void this.#receive(message))
    this.#tabs = tabs
    const leased = { id: randomId(), key: `${key} lease`, storage, isShared: scope === 'shared' }
    this.#lease = isAlone ? undefined : new Lease({ ...leased, tabs, clock })
    const onRefused = (session: Session) => this.end(session, 'expired')
    const shared = { store: this.#store, lease: this.#lease, lock, key, tabs, clock }
    this.#refresher = new Refresher({ ...shared, exchange, onRefused })
    this.#announcing = this.#store.read().then((session) => {
      this.#announced = session
    })
  }

  current(): Promise<Session | null> {
    return this.#store.read()
  }

  async user(): Promise<PublicUser | null> {
    const session = await this.#store.read()
    return session && this.#store.userOf(session)
  }

  saveUser(session: Session, user: PublicUser): Promise<void> {
    return this.#store.saveUser(session, user)
  }

  /** Resolves with a session whose access token is valid, as far as this device can tell. */
  async fresh(signal?: AbortSignal): Promise<Session> {
    const session = await this.#store.read()
    if (session === null) throw new SignedOutError()
    const { clock, refreshAhead } = this.#parts
    const state = freshness(session, clock.now(), refreshAhead)
    if (state === 'fresh') return session
    try {
      return await this.renewed(session, signal)
    } catch (err) {
      const mayUse = err instanceof AuthError && !(err instanceof SignedOutError)
      if (mayUse && !this.isExpired(session)) return session
      throw err
    }
  }

  /** Whether the service is known to refuse the access token. */
  isExpired(session: Session): boolean {
    const { clock, refreshAhead } = this.#parts
    return freshness(session, clock.now(), refreshAhead) === 'expired'
  }

  /** Resolves with a newer session than `stale`, or with another one: of anybody. */
  async renewed(stale: Session, signal?: AbortSignal): Promise<Session> {
    const current = await this.#store.read()
    if (current === null) throw new SignedOutError()
    if (isNewer(current, stale) || current.id !== stale.id) return current
    // The page would be gone before the answer, and with it the new refresh token.
    if (this.#isLeaving) return stale
    const session = await orAborted(this.#refresher.refresh(current), signal)
    await this.#announce()
    return session
  }

  /** Resolves with the session that the login replaced. */
  async start(loggedIn: LoggedIn, since: number): Promise<Session | null> {
    // The listeners must hear of the change from what was before.
    await this.#announcing
    const session = startSession(randomId(), loggedIn, since)
    const before = await this.#store.start(session)
    this.#tabs.post({ kind: 'session', session })
    await this.#announce()
    return before
  }

  async end(session: Session, reason: EndReason): Promise<void> {
    await this.#store.end(session, reason)
    this.#tabs.post({ kind: 'ended', id: session.id, reason })
    await this.#announce()
  }

  onChange(listener: (change: AuthChange) => void): () => void {
    // The same function twice is two listeners.
    const own = (change: AuthChange) => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** The page goes: another tab may take over. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    await this.#lease?.release()
  }

  /** The browser shows the page again. */
  async comeBack(): Promise<void> {
    this.#isLeaving = false
    await this.#announce()
  }

  async close(): Promise<void> {
    await this.leave()
    this.#listeners.clear()
    this.#tabs.close()
  }

  async #receive(message: Message): Promise<void> {
    if (message.kind === 'session') await this.#store.adopt(message.session)
    else if (message.kind === 'ended') await this.#store.adoptEnd(message.id, message.reason)
    else if (message.kind !== 'hint') return this.#answer(message)
    if (message.kind !== 'hint') this.#lease?.wake()
    await this.#announce()
  }

  #answer(message: LeaseMessage): void {
    const { newest } = this.#store
    const isOld = message.kind === 'claim' && newest !== null && isNewer(newest, message.target)
    // The tab that asks does not see the newest tokens yet.
    if (isOld) this.#tabs.post({ kind: 'session', session: newest })
    else this.#lease?.receive(message)
  }

  /** Notifies the listeners of changes since the last time. */
  #announce(): Promise<void> {
    this.#announcing = this.#announcing.then(async () => {
      const [before, after] = [this.#announced, await this.#store.read()]
      this.#announced = after
      const type = changeBetween(before, after)
      if (type === 'signedOut') this.#notify({ type, reason: this.#store.endOf(before) })
      else if (type !== null && after) this.#notify({ type, user: await this.#store.userOf(after) })
    })
    return this.#announcing
  }

  #notify(change: AuthChange): void {
    for (const listener of this.#listeners) {
      // As an error of an event listener: it must not stop the others.
      try {
        listener(change)
      } catch (err) {
        queueMicrotask(() => {
          throw err
        })
      }
    }
  }
}
