import { unavailable } from '@surehook/service-kit/errors'
import { FairSlots, type Slot, type Waiter } from '@surehook/service-kit/fair-slots'

export type SlotLimits = {
  /** The most requests in progress at once. */
  total: number
  perClient: number
  /** The most waiting requests; one client may have half as many. */
  waiting: number
  maxWaitMs: number
}

export type { Slot } from '@surehook/service-kit/fair-slots'

type WaitingRequest = Waiter & { readonly refuse: (reason: string) => void }

const crowded = 'too many requests wait for this upstream'

/**
 * Bounds the requests in progress, in all and per client. A full queue drops the newest request of
 * the client that has the most in it. A wait that is too long ends with SERVICE_UNAVAILABLE.
 */
export class Slots {
  readonly #limits: SlotLimits
  readonly #slots: FairSlots<WaitingRequest>
  readonly #waitingOf = new Map<string, number>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
    this.#slots = new FairSlots({ total: limits.total, perOwner: limits.perClient })
  }

  /** The number of waiting requests that could enter if another client freed a slot. */
  get starving(): number {
    const slots = this.#slots
    if (!slots.isFull) return 0
    return [...slots.waiting].filter(({ owner }) => !slots.isAtLimit(owner)).length
  }

  /** Resolves with the slot, which its holder must dispose of once. */
  async enter(client: string): Promise<Slot> {
    const free = this.#slots.take(client)
    if (free !== null) return free
    const { waiting } = this.#limits
    const mine = this.#waitingOf.get(client) ?? 0
    const isRefused =
      mine >= waiting / 2 || (this.#slots.waiting.size >= waiting && !this.#drop(mine + 1))
    if (isRefused) throw unavailable(crowded)
    return this.#wait(client)
  }

  #wait(client: string): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#slots.leave(waiter)
        add(this.#waitingOf, client, -1)
      }
      const waiter: WaitingRequest = {
        owner: client,
        enter: (slot) => {
          leave()
          resolve(slot)
        },
        refuse: (reason) => {
          leave()
          reject(unavailable(reason))
        },
      }
      const late = 'no connection to this upstream became free in time'
      const timer = setTimeout(() => waiter.refuse(late), this.#limits.maxWaitMs)
      this.#slots.wait(waiter)
      add(this.#waitingOf, client, 1)
    })
  }

  /** @returns false if no client has more than `most` in the queue */
  #drop(most: number): boolean {
    let [client, count] = ['', most]
    for (const [one, waits] of this.#waitingOf) if (waits > count) [client, count] = [one, waits]
    if (count === most) return false
    const newest = [...this.#slots.waiting].findLast(({ owner }) => owner === client)
    newest?.refuse(crowded)
    return true
  }
}

function add(counts: Map<string, number>, client: string, by: number): void {
  const count = (counts.get(client) ?? 0) + by
  if (count === 0) counts.delete(client)
  else counts.set(client, count)
}
