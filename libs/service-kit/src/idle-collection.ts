export type ProcessReading = {
  /** Milliseconds by `performance.now()`. */
  atMs: number
  /** CPU time of all threads since the start, in milliseconds. */
  cpuMs: number
  /** Memory of the process (RSS). It also counts pages that V8 keeps after it freed their objects. */
  memoryBytes: number
}

/** A collection stops the process for about 100 ms, which only an idle process can afford. */
const idleShare = 0.05
/** Growth that is not worth a collection: V8 collects up to 16 MiB of young objects itself. */
const worthBytes = 24 * 1024 * 1024
const lookEveryMs = 10_000

/**
 * Decides when an idle process should collect garbage. V8 collects only when much is allocated.
 * After its start or a busy minute an idle process would keep its garbage, which is half of its
 * memory.
 */
export class IdleCollection {
  #last: ProcessReading
  /** Memory after the last collection. Negative infinity before the first one. */
  #leftBytes = Number.NEGATIVE_INFINITY

  constructor(first: ProcessReading) {
    this.#last = first
  }

  isDue(reading: ProcessReading): boolean {
    const share = (reading.cpuMs - this.#last.cpuMs) / (reading.atMs - this.#last.atMs)
    this.#last = reading
    return share < idleShare && reading.memoryBytes - this.#leftBytes >= worthBytes
  }

  collected(leftBytes: number): void {
    this.#leftBytes = leftBytes
  }
}

/** Collects in this process whenever it is idle, if Node runs with `--expose-gc`. */
export function collectWhenIdle(): Disposable {
  const { gc } = globalThis
  if (gc === undefined) return { [Symbol.dispose]: () => undefined }
  const collection = new IdleCollection(readProcess())
  const timer = setInterval(() => {
    if (!collection.isDue(readProcess())) return
    // Other modes free hardly any memory. It runs in its own task, because values on the stack
    // would be kept.
    const all = { type: 'major', flavor: 'last-resort', execution: 'async' } as const
    void gc(all).then(() => collection.collected(readProcess().memoryBytes))
  }, lookEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function readProcess(): ProcessReading {
  const { user, system } = process.cpuUsage()
  return {
    atMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    memoryBytes: process.memoryUsage.rss(),
  }
}
