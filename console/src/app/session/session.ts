/** Who is signed in. A developer acts in one environment, the operator on the whole installation. */
export type Session =
  | { kind: 'developer'; project: string; environment: string; token: string }
  | { kind: 'operator'; token: string }

export type SignedOut = { session: null; reason: string | null }
export type SessionState = { session: Session } | SignedOut

/** What `sessionStorage` offers. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const storedAs = 'surehook.session'

/** Keeps the session in memory, and in the tab's storage if the user asked for that. */
export class SessionKeeper {
  readonly #store: Store
  readonly #listeners = new Set<() => void>()
  #state: SessionState

  constructor(store: Store) {
    this.#store = store
    const session = parseSession(store.getItem(storedAs))
    this.#state = session === null ? { session, reason: null } : { session }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly current = (): SessionState => this.#state

  start(session: Session, { keepInTab }: { keepInTab: boolean }): void {
    if (keepInTab) this.#store.setItem(storedAs, JSON.stringify(session))
    else this.#store.removeItem(storedAs)
    this.#become({ session })
  }

  /** Forgets the token. The sign-in page shows the reason. */
  end(reason: string | null = null): void {
    this.#store.removeItem(storedAs)
    this.#become({ session: null, reason })
  }

  /** Ends the session, unless another one began meanwhile. */
  endOf(session: Session, reason: string): void {
    if (this.#state.session === session) this.end(reason)
  }

  #become(state: SessionState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

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
