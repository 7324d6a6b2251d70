import type { Clock } from '../clock.ts'
import { SignedOutError } from '../errors.ts'
import type { TokenPair } from '../generated/types.gen.ts'
import type { Lock } from '../tabs/lock.ts'
import { isTokenRefused } from '../transport/token-refusal.ts'
import type { Lease } from './lease.ts'
import type { Tabs } from './other-tabs.ts'
import { isSame, rotated, type Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export type RefresherParts = {
  store: SessionStore
  /** Absent: nobody else has the session. */
  lease: Lease | undefined
  lock: Lock | undefined
  key: string
  tabs: Pick<Tabs, 'post'>
  clock: Clock
  /** Sends a refresh token. It repeats what failed for a moment. */
  exchange: (refreshToken: string) => Promise<TokenPair>
  onRefused: (session: Session) => Promise<void>
}

/** Refreshes a session once, however many callers and tabs ask for it. */
export class Refresher {
  readonly #parts: RefresherParts
  #running: Promise<Session> | undefined

  constructor(parts: RefresherParts) {
    this.#parts = parts
  }

  /**
   * Resolves with a newer session than `stale`. Rejects with a `SignedOutError` if there is none.
   */
  async refresh(stale: Session): Promise<Session> {
    this.#running ??= this.#refresh(stale).finally(() => {
      this.#running = undefined
    })
    const session = await this.#running
    // The refresh that ran was for an older one.
    return isSame(session, stale) ? this.refresh(stale) : session
  }

  async #refresh(stale: Session): Promise<Session> {
    const { lease, lock, key } = this.#parts
    const task = () => this.#exchangeIfCurrent(stale)
    if (lock !== undefined) return lock(key, task)
    if (lease === undefined) return task()
    const isWanted = async () => isSame(await this.#parts.store.read(), stale)
    const { id, rotation } = stale
    if (!(await lease.acquire({ id, rotation }, isWanted))) return this.#current()
    try {
      return await task()
    } finally {
      await lease.release()
    }
  }

  async #current(): Promise<Session> {
    const session = await this.#parts.store.read()
    if (session === null) throw new SignedOutError()
    return session
  }

  async #exchangeIfCurrent(stale: Session): Promise<Session> {
    const current = await this.#current()
    return isSame(current, stale) ? this.#exchange(current) : current
  }

  /**
   * An answer may get lost after the service took the token. Nobody can tell, so the same token is
   * sent again: at once by `exchange`, or later by the next caller. Within `refreshReuseInterval`
   * the service answers the same pair. Without an interval the session has ended in any case.
   */
  async #exchange(current: Session): Promise<Session> {
    const { store, tabs, clock, exchange, onRefused } = this.#parts
    const since = clock.now()
    let pair: TokenPair
    try {
      pair = await exchange(current.refreshToken)
    } catch (err) {
      if (!isTokenRefused(err)) throw err
      // Another tab may have been faster, if this one was frozen.
      const now = await store.read()
      if (now !== null && !isSame(now, current)) return now
      await onRefused(current)
      throw new SignedOutError(err)
    }
    const session = await store.rotate(current, rotated(current, pair, since))
    // A logout came in between.
    if (session === null) throw new SignedOutError()
    tabs.post({ kind: 'session', session })
    return session
  }
}
