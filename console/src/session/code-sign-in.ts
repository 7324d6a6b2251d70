import type { Session, SessionKeeper } from './session.ts'

export type CodeState =
  | { status: 'none' }
  | { status: 'pending' }
  /** The code began no session. A session that was there before goes on. */
  | { status: 'failed'; error: unknown }

const none: CodeState = { status: 'none' }

/** Signs in with a one-time code, as a form does with a token. */
export class CodeSignIn {
  readonly #keeper: SessionKeeper
  readonly #redeem: (code: string) => Promise<Session>
  readonly #listeners = new Set<() => void>()
  #state = none

  constructor(keeper: SessionKeeper, redeem: (code: string) => Promise<Session>) {
    this.#keeper = keeper
    this.#redeem = redeem
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
    const pending: CodeState = { status: 'pending' }
    this.#become(pending)
    try {
      const session = await this.#redeem(code)
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
