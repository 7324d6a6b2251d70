import { noPeers, type Peers } from './peers.ts'

/** A login to the console: of a developer for one environment, or of the operator for all. */
export type Session =
  | { kind: 'developer'; project: string; environment: string; token: string }
  | { kind: 'operator'; token: string }

export type SignedOut = { session: null; reason: string | null }
export type SessionState = { session: Session } | SignedOut

/** What `sessionStorage` offers. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const storedAs = 'surehook.session'
/** Copies of a session in duplicated tabs share this id. */
const idStoredAs = 'surehook.session-id'

/** Keeps the session in memory, and in the tab's storage if the user asked for that. */
export class SessionKeeper {
  readonly #store: Store
  readonly #peers: Peers
  readonly #listeners = new Set<() => void>()
  #state: SessionState

  constructor(store: Store, peers: Peers = noPeers) {
    this.#store = store
    this.#peers = peers
    const session = parseSession(store.getItem(storedAs))
    this.#state = session === null ? { session, reason: null } : { session }
    peers.onEnd((id) => {
      if (id === store.getItem(idStoredAs)) this.#forget('You signed out in another tab.')
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly current = (): SessionState => this.#state

  start(session: Session, { keepInTab }: { keepInTab: boolean }): void {
    this.#clearStore()
    if (keepInTab) this.#keep(session)
    this.#become({ session })
  }

  /** Replaces the session by another one of this tab, and keeps it as long as the earlier one. */
  become(session: Session): void {
    this.start(session, { keepInTab: this.#store.getItem(storedAs) !== null })
  }

  /** Forgets the token, also in tabs that were duplicated. The sign-in page shows the reason. */
  end(reason: string | null = null): void {
    const id = this.#store.getItem(idStoredAs)
    this.#forget(reason)
    if (id !== null) this.#peers.announceEnd(id)
  }

  /** Ends the session, unless another one began meanwhile. */
  endOf(session: Session, reason: string): void {
    if (this.#state.session === session) this.end(reason)
  }

  #keep(session: Session): void {
    try {
      this.#store.setItem(storedAs, JSON.stringify(session))
      this.#store.setItem(idStoredAs, newId())
    } catch {
      // The storage is full or became blocked. The session stays in memory, until a reload.
      this.#clearStore()
    }
  }

  #forget(reason: string | null): void {
    this.#clearStore()
    this.#become({ session: null, reason })
  }

  #clearStore(): void {
    this.#store.removeItem(storedAs)
    this.#store.removeItem(idStoredAs)
  }

  #become(state: SessionState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** `crypto.randomUUID` exists only on https and localhost. */
const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('-')

export function parseSession(text: string | null): Session | null {
  if (text === null) return null
  try {
    return sessionIn(JSON.parse(text))
  } catch {
    // Somebody else's entry. The user signs in again.
    return null
  }
}

function sessionIn(value: unknown): Session | null {
  if (typeof value !== 'object' || value === null) return null
  const { kind, project, environment, token } = value as Record<string, unknown>
  if (typeof token !== 'string') return null
  if (kind === 'operator') return { kind, token }
  const isComplete = typeof project === 'string' && typeof environment === 'string'
  return kind === 'developer' && isComplete ? { kind, project, environment, token } : null
}
