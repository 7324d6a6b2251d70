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
/** Less growth is not worth a collection. */
const worthBytes = 24 * 1024 * 1024
/** A process with little work may grow as much again and again, because V8 keeps room to work in. */
const pauseMs = 60_000
const lookEveryMs = 10_000

/**
 * Decides when an idle process should collect garbage. V8 collects only when much is allocated.
 * After its start or a busy minute an idle process would keep its garbage, which is half of its
 * memory.
 */
export class IdleCollection {
  #last: ProcessReading
  /** Time of the last collection. Negative infinity before the first one. */
  #collectedAtMs = Number.NEGATIVE_INFINITY
  /**
   * Least memory since the last collection, because some of it is freed later. Negative infinity
   * before the first one.
   */
  #leastBytes = Number.NEGATIVE_INFINITY

  constructor(first: ProcessReading) {
    this.#last = first
  }

  isDue(reading: ProcessReading): boolean {
    const share = (reading.cpuMs - this.#last.cpuMs) / (reading.atMs - this.#last.atMs)
    this.#last = reading
    this.#leastBytes = Math.min(this.#leastBytes, reading.memoryBytes)
    const hasPaused = reading.atMs - this.#collectedAtMs >= pauseMs
    return share < idleShare && hasPaused && reading.memoryBytes - this.#leastBytes >= worthBytes
  }

  collected({ atMs, memoryBytes }: ProcessReading): void {
    this.#collectedAtMs = atMs
    this.#leastBytes = memoryBytes
  }
}

/** Collects in this process whenever it is idle, if Node runs with `--expose-gc`. */
export function collectWhenIdle(): Disposable {
  const { gc } = globalThis
  if (gc === undefined) return { [Symbol.dispose]: () => undefined }
  const collection = new IdleCollection(readProcess() ?? firstReading)
  const timer = setInterval(() => {
    const reading = readProcess()
    if (reading === null || !collection.isDue(reading)) return
    // Other modes free hardly any memory. It runs in its own task, because values on the stack
    // would be kept.
    const all = { type: 'major', flavor: 'last-resort', execution: 'async' } as const
    void gc(all).then(() => collection.collected(readProcess() ?? reading))
  }, lookEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

const firstReading: ProcessReading = { atMs: 0, cpuMs: 0, memoryBytes: 0 }

/** Returns `null` without a free file descriptor, which the reading needs. */
function readProcess(): ProcessReading | null {
  const { user, system } = process.cpuUsage()
  const atMs = performance.now()
  try {
    return { atMs, cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() }
  } catch {
    return null
  }
}
