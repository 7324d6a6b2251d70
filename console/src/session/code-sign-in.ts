import type { Session, SessionKeeper } from './session.ts'

export type CodeState =
  | { status: 'none' }
  | { status: 'pending' }
  /** The code began no session. A session that was there before goes on. */
  | { status: 'failed'; error: unknown }

const none: CodeState = { status: 'none' }

export type CodeSignInDeps = {
  redeem: (code: string) => Promise<Session>
  /** Asks the user. The link may come from a stranger, who would then see what the user enters. */
  mayReplaceSession: () => boolean
}

/** Signs in with a one-time code, as a form does with a token. */
export class CodeSignIn {
  readonly #keeper: SessionKeeper
  readonly #deps: CodeSignInDeps
  readonly #listeners = new Set<() => void>()
  #state = none

  constructor(keeper: SessionKeeper, deps: CodeSignInDeps) {
    this.#keeper = keeper
    this.#deps = deps
    keeper.subscribe(() => {
      // The code may still begin the session that follows one that ended.
      if (keeper.current().session === null && this.#state.status === 'pending') return
      // A user who signs in by form meanwhile has read the failure.
      this.#become(none)
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly current = (): CodeState => this.#state

  async start(code: string): Promise<void> {
    if (this.#keeper.current().session !== null && !this.#deps.mayReplaceSession()) return
    const pending: CodeState = { status: 'pending' }
    this.#become(pending)
    try {
      const session = await this.#deps.redeem(code)
      // Another sign-in may have begun meanwhile.
      if (this.#state !== pending) return
      this.#keeper.start(session, { keepInTab: false })
    } catch (error) {
      if (this.#state === pending) this.#become({ status: 'failed', error })
    }
  }

  /** The user has seen the failure. */
  readonly forget = (): void => this.#become(none)

  #become(state: CodeState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
