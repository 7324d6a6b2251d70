import type { ClientLine } from './client-line.ts'
import { FairQueue } from './fair-queue.ts'

export type FairTurnsOptions = {
  /** How many units of cost may be at work at once. */
  concurrency: number
  /** How many units may wait now. */
  room: () => number
  longestWaitMs: number
  /** Of who finds no room, or waited too long. */
  refusal: () => Error
  /** By how many more wait now. */
  onWaiting?: (change: 1 | -1) => void
}

export type FairTurns = {
  /** Throws the refusal if `take` of one unit would find no room now. */
  assertCapacity(line: ClientLine): void
  /** Resolves when it is the line's turn; give the same cost back then. */
  take(line: ClientLine, cost: number): Promise<void>
  giveBack(cost: number): void
}

type Waiting = { cost: number; begin: () => void; refuse: () => void }

/** Lets work begin at once while there is room for it, and in turn otherwise. */
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
