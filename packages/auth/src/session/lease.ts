import { type Clock, sleep } from '../clock.ts'
import type { TolerantStorage } from '../storage/tolerant-storage.ts'
import type { LeaseMessage, Tabs, Target } from './other-tabs.ts'

/**
 * How long a claim waits for objections. Within it, a write reaches other tabs, or a message and
 * the answer to it.
 */
const settleMs = 100
const pollMs = 200
const beatMs = 1_000
/**
 * Polls with the same mark, after which another tab may claim the lease. Polls and not times: they
 * stop while a laptop sleeps, and a clock does not.
 */
const silentPolls = 25

export type LeaseParts = {
  /** The name of this tab. */
  id: string
  key: string
  storage: TolerantStorage
  /** Whether other tabs see the same storage. */
  isShared: boolean
  tabs: Pick<Tabs, 'post'>
  clock: Clock
}

/**
 * Lets one tab at a time refresh, by a mark in the storage and by messages. Either alone keeps two
 * tabs apart if it arrives within `settleMs`. A holder that lives answers, however late its timers
 * run: only a tab that is gone loses the lease. Web Locks are not the default, because browsers
 * left some of them locked for good (supabase/supabase-js#2235).
 */
export class Lease {
  readonly #parts: LeaseParts
  #state: 'idle' | 'claiming' | 'holding' = 'idle'
  #target: Target | null = null
  #isRefused = false
  #beat = 0
  #stopBeat = () => {}
  #wake = () => {}

  constructor(parts: LeaseParts) {
    this.#parts = parts
  }

  /**
   * Resolves once this tab may refresh: true. False: `isWanted` says that there is no reason any
   * more.
   */
  async acquire(target: Target, isWanted: () => Promise<boolean>): Promise<boolean> {
    const { key, storage, clock } = this.#parts
    let seen: string | null = null
    for (let silent = 0; await isWanted(); ) {
      const mark = await storage.get(key)
      if (mark === null || silent >= silentPolls) {
        if (await this.#claim(target)) return true
        silent = 0
        await sleep(clock, pollMs * (0.5 + Math.random()))
        continue
      }
      silent = mark === seen ? silent + 1 : 0
      seen = mark
      await this.#pause(pollMs)
    }
    return false
  }

  /** Also gives a claim up: a mark of a page that is gone would stop the others for seconds. */
  async release(): Promise<void> {
    if (this.#state === 'idle') return
    this.#withdraw()
    this.#state = 'idle'
    this.#stopBeat()
    await this.#unmark()
  }

  /** Another look at the session is due. */
  wake(): void {
    if (this.#state === 'idle') this.#wake()
  }

  receive(message: LeaseMessage): void {
    if (message.kind === 'claim') this.#answer(message)
    else if (message.to === this.#parts.id) this.#withdraw()
  }

  #withdraw(): void {
    if (this.#state !== 'claiming') return
    this.#isRefused = true
    this.#wake()
  }

  #answer({ from, target }: Extract<LeaseMessage, { kind: 'claim' }>): void {
    if (this.#state === 'idle' || this.#target?.id !== target.id) return
    const { id, tabs } = this.#parts
    // Two claims see each other, and the lower name is first.
    if (this.#state === 'claiming' && from < id) {
      this.#withdraw()
      return
    }
    tabs.post({ kind: 'busy', to: from })
    // The claim replaced the mark.
    void this.#mark()
  }

  async #claim(target: Target): Promise<boolean> {
    const { id, key, storage, isShared, tabs, clock } = this.#parts
    this.#state = 'claiming'
    this.#target = target
    this.#isRefused = false
    const isMarked = await this.#mark()
    tabs.post({ kind: 'claim', from: id, target })
    await this.#pause(settleMs)
    // Lets messages in that a busy thread kept waiting.
    await sleep(clock, 0)
    const mark = this.#isRefused || !isMarked || !isShared ? null : await storage.get(key)
    // Asked again, because reading took a while.
    if (this.#isRefused || (mark !== null && !this.#isMine(mark))) {
      this.#state = 'idle'
      await this.#unmark()
      return false
    }
    this.#state = 'holding'
    this.#beatLater()
    await this.#mark()
    return true
  }

  #beatLater(): void {
    this.#stopBeat = this.#parts.clock.after(beatMs, () => {
      void this.#mark()
      this.#beatLater()
    })
  }

  #mark(): Promise<boolean> {
    const { id, key, storage } = this.#parts
    this.#beat++
    return storage.set(key, `${id} ${this.#beat}`)
  }

  async #unmark(): Promise<void> {
    const { key, storage } = this.#parts
    const mark = await storage.get(key)
    if (mark !== null && this.#isMine(mark)) await storage.remove(key)
  }

  #isMine(mark: string): boolean {
    return mark.startsWith(`${this.#parts.id} `)
  }

  /** Ends early when something was heard. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#parts.clock.after(ms, resolve)
      this.#wake = () => {
        stop()
        resolve()
      }
    })
  }
}
