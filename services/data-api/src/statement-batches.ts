import { unavailable } from '@surehook/service-kit/errors'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Tenant } from './table-definition.ts'

/** The properties that all statements for one target share. */
export type BatchTarget<Target> = {
  /** Identifies the target. */
  key: string
  tenant: Tenant
  target: Target
}

export type StatementBatches<Item, Target> = {
  /** @returns what the statement returned for the item */
  run(of: BatchTarget<Target>, item: Item): Promise<string | null>
}

export type StatementBatchesOptions<Item, Target> = {
  /** Runs one statement. Returns the result of each item in order, or nothing. */
  statement: (target: Target, items: readonly Item[]) => Promise<readonly (string | null)[]>
  /** Returns the characters that an item adds to a statement. */
  sizeOf: (item: Item) => number
  /**
   * True if PostgreSQL refused one item and therefore did nothing. Each item then runs by itself.
   */
  isOfOneItem: (err: unknown) => boolean
  /** Runs the work while the tenant holds a slot for a statement. */
  enter: <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>
  maxWaitMs: number
}

type Entry<Item> = { item: Item; done: PromiseWithResolvers<string | null> }
type Batch<Item> = { entries: Entry<Item>[]; chars: number }

/**
 * The most statements of a target that run at once. The first starts at once. Later items wait for a
 * statement to end, and share the next.
 */
const maxRunning = 2
const maxItems = 64
const maxChars = 500_000
/**
 * The time in which items of a target run alone after a refusal. Otherwise many refusals would
 * double the work.
 */
const aloneForMs = 1_000

/**
 * Simultaneous requests of one kind for one target share a statement, because most CPU of a small
 * statement is spent per statement and per commit. No request joins a statement that has begun.
 * After an error that is not due to one item, the commit may have happened, so nothing is repeated.
 */
export function createStatementBatches<Item, Target>(
  options: StatementBatchesOptions<Item, Target>,
): StatementBatches<Item, Target> {
  return new Batches(options)
}

class Batches<Item, Target> implements StatementBatches<Item, Target> {
  readonly #options: StatementBatchesOptions<Item, Target>
  readonly #slots: FairSlots
  /** The waiting batch of each target that later items may join. */
  readonly #open = new Map<string, Batch<Item>>()
  /** Targets whose items run alone for now. */
  readonly #alone = new Set<string>()

  constructor(options: StatementBatchesOptions<Item, Target>) {
    this.#options = options
    this.#slots = new FairSlots({
      room: { each: maxRunning },
      maxWaitMs: options.maxWaitMs,
      refusal: () => unavailable('The tenant has too much under way'),
    })
  }

  run(of: BatchTarget<Target>, item: Item): Promise<string | null> {
    const entry = { item, done: Promise.withResolvers<string | null>() }
    if (this.#alone.has(of.key)) void this.#run(of, [entry])
    else this.#join(of, entry)
    return entry.done.promise
  }

  #join(of: BatchTarget<Target>, entry: Entry<Item>): void {
    const chars = this.#options.sizeOf(entry.item)
    const open = this.#open.get(of.key)
    if (open && open.entries.length < maxItems && open.chars + chars <= maxChars) {
      open.entries.push(entry)
      open.chars += chars
      return
    }
    const batch = { entries: [entry], chars }
    this.#open.set(of.key, batch)
    void this.#runInSlot(of, batch)
  }

  /** Never rejects. */
  async #runInSlot(of: BatchTarget<Target>, batch: Batch<Item>): Promise<void> {
    const close = () => {
      if (this.#open.get(of.key) === batch) this.#open.delete(of.key)
    }
    try {
      await this.#slots.run(of.key, () => {
        close()
        return this.#run(of, batch.entries)
      })
    } catch (err) {
      close()
      for (const { done } of batch.entries) done.reject(err)
    }
  }

  /** Never rejects. */
  async #run(of: BatchTarget<Target>, entries: readonly Entry<Item>[]): Promise<void> {
    const { enter, statement, isOfOneItem } = this.#options
    const items = entries.map(({ item }) => item)
    try {
      const results = await enter(of.tenant, () => statement(of.target, items))
      for (const [n, { done }] of entries.entries()) done.resolve(results[n] ?? null)
    } catch (err) {
      if (entries.length > 1 && isOfOneItem(err)) {
        this.#alone.add(of.key)
        setTimeout(() => this.#alone.delete(of.key), aloneForMs).unref()
        await Promise.all(entries.map((entry) => this.#run(of, [entry])))
      } else for (const { done } of entries) done.reject(err)
    }
  }
}
