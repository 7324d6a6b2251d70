import type { ClientLine } from './client-line.ts'
import { FairQueue } from './fair-queue.ts'

export type FairTurnsOptions = {
  /** The total cost of work that may run at once. */
  concurrency: number
  /** The total cost of work that may wait now. */
  room: () => number
  longestWaitMs: number
  /** The error for work that finds no room or waited too long. */
  refusal: () => Error
  /** Called when the number of waiting calls changes by one. */
  onWaiting?: (change: 1 | -1) => void
}

export type FairTurns = {
  /** Throws the refusal if a `take` of cost 1 would find no room now. */
  assertCapacity(line: ClientLine): void
  /** Resolves when it is the line's turn. Call `giveBack` with the same cost afterwards. */
  take(line: ClientLine, cost: number): Promise<void>
  giveBack(cost: number): void
}

type Waiting = { cost: number; begin: () => void; refuse: () => void }

/** Starts work at once while capacity is free, and otherwise in turn. */
export function createFairTurns(options: FairTurnsOptions): FairTurns {
  const { concurrency, room, longestWaitMs, refusal, onWaiting = () => {} } = options
  const queue = new FairQueue<Waiting>()
  let running = 0
  const isFree = (cost: number) => queue.waiting === 0 && running + cost <= concurrency
  const startNext = () => {
    const next = () => queue.next(concurrency - running)
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      running += waiting.cost
      waiting.begin()
    }
  }
  const waitForTurn = async (line: ClientLine, cost: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { cost, begin: resolve, refuse: () => reject(refusal()) }
    const { admitted, evicted } = queue.push(line, { item: waiting, cost }, room())
    if (!admitted) throw refusal()
    for (const { refuse } of evicted) refuse()
    const timer = setTimeout(() => {
      queue.remove(line, waiting)
      waiting.refuse()
      startNext()
    }, longestWaitMs)
    onWaiting(1)
    await promise.finally(() => {
      clearTimeout(timer)
      onWaiting(-1)
    })
  }
  return {
    assertCapacity(line) {
      if (!isFree(1) && !queue.hasRoom(line, 1, room())) throw refusal()
    },
    async take(line, cost) {
      if (isFree(cost)) running += cost
      else await waitForTurn(line, cost)
    },
    giveBack(cost) {
      running -= cost
      startNext()
    },
  }
}
