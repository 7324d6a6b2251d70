export type ProcessReading = {
  /** By the clock of `performance.now()`. */
  atMs: number
  /** Used so far, of all threads. */
  cpuMs: number
  heapBytes: number
}

/** The collection stops the process for about 100 ms: only one with little to do may afford that. */
const idleShare = 0.05
/** Less garbage is not worth it; young objects are up to 16 MiB of it, which V8 collects itself. */
const worthBytes = 24 * 1024 * 1024
const lookEveryMs = 10_000

/**
 * Decides when an idle process collects its garbage. V8 collects when much is allocated: a process that has just
 * started, or had a busy minute, would keep all of its garbage for as long as it is idle, which is half of its
 * memory.
 */
export class IdleCollection {
  #last: ProcessReading
  /** What was left after the last collection; none was made yet. */
  #leftBytes = Number.NEGATIVE_INFINITY

  constructor(first: ProcessReading) {
    this.#last = first
  }

  isDue(reading: ProcessReading): boolean {
    const share = (reading.cpuMs - this.#last.cpuMs) / (reading.atMs - this.#last.atMs)
    this.#last = reading
    return share < idleShare && reading.heapBytes - this.#leftBytes >= worthBytes
  }

  collected(leftBytes: number): void {
    this.#leftBytes = leftBytes
  }
}

/** Collects in this process whenever it is idle, where Node runs with `--expose-gc`. */
export function collectWhenIdle(): Disposable {
  const { gc } = globalThis
  if (gc === undefined) return { [Symbol.dispose]: () => undefined }
  const collection = new IdleCollection(readProcess())
  const timer = setInterval(() => {
    if (!collection.isDue(readProcess())) return
    // Other kinds give hardly any memory back. In a task of its own: what the stack still names would be kept.
    const all = { type: 'major', flavor: 'last-resort', execution: 'async' } as const
    void gc(all).then(() => collection.collected(readProcess().heapBytes))
  }, lookEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function readProcess(): ProcessReading {
  const { user, system } = process.cpuUsage()
  return {
    atMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    heapBytes: process.memoryUsage().heapUsed,
  }
}
