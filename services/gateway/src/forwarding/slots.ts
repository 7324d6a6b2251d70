import { unavailable } from '@surehook/service-kit/errors'

export type SlotLimits = {
  /** The most requests in progress at once. */
  total: number
  perClient: number
  /** The most waiting requests; one client may have half as many. */
  waiting: number
  maxWaitMs: number
}

export type Slot = Disposable

type Waiter = { client: string; enter: (slot: Slot) => void; refuse: (reason: string) => void }

const crowded = 'too many requests wait for this upstream'

/**
 * Bounds the requests in progress, in all and per client. The next waiting request to enter is one
 * whose client has the fewest in progress. A full queue drops the newest request of the client that
 * has the most in it. A wait that is too long ends with SERVICE_UNAVAILABLE.
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

  /** The number of waiting requests that could enter if another client freed a slot. */
  get starving(): number {
    const { total, perClient } = this.#limits
    if (this.#taken < total) return 0
    const hasPart = (client: string) => (this.#inside.get(client) ?? 0) >= perClient
    return [...this.#waiting].filter(({ client }) => !hasPart(client)).length
  }

  /** Resolves with the slot, which its holder must dispose of once. */
  enter(client: string): Promise<Slot> {
    if (this.#hasRoom(client)) return Promise.resolve(this.#take(client))
    const { waiting, maxWaitMs } = this.#limits
    const mine = this.#waitingOf.get(client) ?? 0
    const isRefused =
      mine >= waiting / 2 || (this.#waiting.size >= waiting && !this.#drop(mine + 1))
    if (isRefused) return Promise.reject(unavailable(crowded))
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#leaveQueue(waiter)
      }
      const waiter: Waiter = {
        client,
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
      const timer = setTimeout(() => waiter.refuse(late), maxWaitMs)
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
    let next: Waiter | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const waiter of this.#waiting) {
      const inside = this.#inside.get(waiter.client) ?? 0
      if (inside >= fewest || !this.#hasRoom(waiter.client)) continue
      fewest = inside
      next = waiter
    }
    next?.enter(this.#take(next.client))
  }

  /** @returns false if no client has more than `most` in the queue */
  #drop(most: number): boolean {
    let [client, count] = ['', most]
    for (const [one, waits] of this.#waitingOf) if (waits > count) [client, count] = [one, waits]
    if (count === most) return false
    const newest = [...this.#waiting].findLast((waiter) => waiter.client === client)
    newest?.refuse(crowded)
    return true
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
