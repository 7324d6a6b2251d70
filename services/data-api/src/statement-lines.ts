import { unavailable } from '@surehook/service-kit/errors'
import type { Tenant } from './table-definition.ts'

/** The properties that all statements of one line share. */
export type LineOf<Target> = {
  /** Identifies the target. */
  key: string
  tenant: Tenant
  target: Target
}

export type StatementLines<Item, Target> = {
  /** @returns what the statement returned for the item */
  run(of: LineOf<Target>, item: Item): Promise<string | null>
}

export type StatementLinesOptions<Item, Target> = {
  /** Runs one statement. Returns the result of each item in order, or nothing. */
  statement: (target: Target, items: readonly Item[]) => Promise<readonly (string | null)[]>
  /** Returns the characters that an item adds to a statement. */
  sizeOf: (item: Item) => number
  /**
   * True if PostgreSQL refused one item and therefore did nothing. Each item then runs by itself.
   */
  isOfOneItem: (err: unknown) => boolean
  /** Runs the work when the tenant has capacity for a statement. */
  enter: <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>
  maxWaitMs: number
}

type Entry<Item> = { item: Item; done: PromiseWithResolvers<string | null> }
type Group<Item> = { entries: Entry<Item>[]; chars: number; timer: NodeJS.Timeout }
type Line<Item, Target> = LineOf<Target> & {
  running: number
  waiting: Group<Item>[]
}

/**
 * The most statements of a line that run at once. The first starts at once. Later items wait for a
 * statement to end, and share the next.
 */
const maxRunning = 2
const maxItems = 64
const maxChars = 500_000
/**
 * The time in which items of a line run alone after a refusal. Otherwise many refusals would double
 * the work.
 */
const aloneForMs = 1_000

/**
 * Simultaneous requests of one kind for one target share a statement, because most CPU of a small
 * statement is spent per statement and per commit. No request joins a statement that has begun.
 * After an error that is not due to one item, the commit may have happened, so nothing is repeated.
 */
export function createStatementLines<Item, Target>(
  options: StatementLinesOptions<Item, Target>,
): StatementLines<Item, Target> {
  return new Lines(options)
}

class Lines<Item, Target> implements StatementLines<Item, Target> {
  readonly #options: StatementLinesOptions<Item, Target>
  readonly #lines = new Map<string, Line<Item, Target>>()
  /** Lines whose items run alone for now. */
  readonly #alone = new Set<string>()

  constructor(options: StatementLinesOptions<Item, Target>) {
    this.#options = options
  }

  run(of: LineOf<Target>, item: Item): Promise<string | null> {
    const entry = { item, done: Promise.withResolvers<string | null>() }
    if (this.#alone.has(of.key)) {
      void this.#run({ ...of, running: 0, waiting: [] }, [entry])
      return entry.done.promise
    }
    const line = this.#lines.get(of.key) ?? { ...of, running: 0, waiting: [] }
    this.#lines.set(of.key, line)
    this.#join(line, entry)
    if (line.running < maxRunning) this.#runNext(line)
    return entry.done.promise
  }

  #join(line: Line<Item, Target>, entry: Entry<Item>): void {
    const chars = this.#options.sizeOf(entry.item)
    const last = line.waiting.at(-1)
    if (last && last.entries.length < maxItems && last.chars + chars <= maxChars) {
      last.entries.push(entry)
      last.chars += chars
      return
    }
    const timer = setTimeout(() => {
      line.waiting = line.waiting.filter((other) => other !== group)
      const late = unavailable('The tenant has too much under way')
      for (const { done } of group.entries) done.reject(late)
    }, this.#options.maxWaitMs)
    const group = { entries: [entry], chars, timer }
    line.waiting.push(group)
  }

  #runNext(line: Line<Item, Target>): void {
    const group = line.waiting.shift()
    if (group === undefined) return
    clearTimeout(group.timer)
    line.running++
    void this.#run(line, group.entries).finally(() => {
      line.running--
      this.#runNext(line)
      if (line.running === 0) this.#lines.delete(line.key)
    })
  }

  /** Never rejects. */
  async #run(line: Line<Item, Target>, entries: readonly Entry<Item>[]): Promise<void> {
    const { enter, statement, isOfOneItem } = this.#options
    const items = entries.map(({ item }) => item)
    try {
      const results = await enter(line.tenant, () => statement(line.target, items))
      for (const [place, { done }] of entries.entries()) done.resolve(results[place] ?? null)
    } catch (err) {
      if (entries.length > 1 && isOfOneItem(err)) {
        this.#alone.add(line.key)
        setTimeout(() => this.#alone.delete(line.key), aloneForMs).unref()
        await Promise.all(entries.map((entry) => this.#run(line, [entry])))
      } else for (const { done } of entries) done.reject(err)
    }
  }
}
