import { unavailable } from '@surehook/service-kit/errors'

export type SlotLimits = {
  /** How many requests are inside at once. */
  total: number
  perClient: number
  /** How many wait. Of one client, half as many. */
  waiting: number
  maxWaitMs: number
}

export type Slot = Disposable

type Waiter = { client: string; enter: (slot: Slot) => void }

/**
 * Lets a bounded number of requests in, of which one client has a part. Who waits enters in order, past those whose
 * clients have their part already. Waiting ends with SERVICE_UNAVAILABLE.
 */
export class Slots {
  readonly #limits: SlotLimits
  readonly #inside = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  readonly #waitingOf = new Map<string, number>()
  #taken = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Resolves with the slot, which its holder disposes of once. */
  enter(client: string): Promise<Slot> {
    if (this.#hasRoom(client)) return Promise.resolve(this.#take(client))
    const { waiting, maxWaitMs } = this.#limits
    const mine = this.#waitingOf.get(client) ?? 0
    if (this.#waiting.size >= waiting || mine >= waiting / 2) {
      return Promise.reject(unavailable('too many requests wait for this upstream'))
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        client,
        enter: (slot) => {
          clearTimeout(timer)
          this.#leaveQueue(waiter)
          resolve(slot)
        },
      }
      const timer = setTimeout(() => {
        this.#leaveQueue(waiter)
        reject(unavailable('no connection to this upstream became free in time'))
      }, maxWaitMs)
      this.#waiting.add(waiter)
      add(this.#waitingOf, client, 1)
    })
  }

  #hasRoom(client: string): boolean {
    const { total, perClient } = this.#limits
    return this.#taken < total && (this.#inside.get(client) ?? 0) < perClient
  }

  #take(client: string): Slot {
    this.#taken++
    add(this.#inside, client, 1)
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#taken--
        add(this.#inside, client, -1)
        this.#admitNext()
      },
    }
  }

  #admitNext(): void {
    for (const { client, enter } of this.#waiting) {
      if (this.#hasRoom(client)) return enter(this.#take(client))
    }
  }

  #leaveQueue(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    add(this.#waitingOf, waiter.client, -1)
  }
}

function add(counts: Map<string, number>, client: string, by: number): void {
  const count = (counts.get(client) ?? 0) + by
  if (count === 0) counts.delete(client)
  else counts.set(client, count)
}
