import { unavailable } from '@surehook/service-kit/errors'
import type { KnownTable } from '../../tables/table-cache.ts'
import type { Tenant } from '../../tables/table-definition.ts'

/** Without what one caller may see of it. */
export type SharedTable = Omit<KnownTable, 'view'>

export type SharedStatements<Item> = {
  /** @returns the item's record as JSON, whole; `null` without one, or when the table is no longer as it is known */
  run(tenant: Tenant, table: KnownTable, item: Item): Promise<string | null>
}

export type SharedStatementsOptions<Item> = {
  /** One statement: the record of each item, in the order of the items; none for an outdated table. */
  statement: (table: SharedTable, items: readonly Item[]) => Promise<readonly (string | null)[]>
  /** Characters that an item adds to a statement. */
  sizeOf: (item: Item) => number
  /** After this error nothing was done, because of one of the items: each is then run by itself. */
  isOfOneItem: (err: unknown) => boolean
  /** Does the work when the tenant has room for a statement. */
  enter: <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>
  maxWaitMs: number
}

type Entry<Item> = { item: Item; done: PromiseWithResolvers<string | null> }
type Group<Item> = { entries: Entry<Item>[]; chars: number; timer: NodeJS.Timeout }
type Line<Item> = {
  /** Stands for these columns of this table. */
  key: string
  tenant: Tenant
  table: SharedTable
  running: number
  waiting: Group<Item>[]
}

/** The first of a quiet table goes at once; who comes while so many statements are under way waits for one of them to end. */
const maxRunning = 2
const maxItems = 64
const maxChars = 500_000
/** For so long after an item was refused each goes by itself: where many are, sharing only doubles the work. */
const aloneForMs = 1_000

/**
 * Requests of the same kind for the same table at the same time share a statement: most CPU of a small one is per
 * statement and commit. No request takes part in a statement that began before it. After an error that is not of one item,
 * a commit may have happened, so nothing is repeated.
 */
export function createSharedStatements<Item>(
  options: SharedStatementsOptions<Item>,
): SharedStatements<Item> {
  return new StatementLines(options)
}

class StatementLines<Item> implements SharedStatements<Item> {
  readonly #options: SharedStatementsOptions<Item>
  readonly #lines = new Map<string, Line<Item>>()
  /** Tables whose items do not share for now. */
  readonly #alone = new Set<string>()

  constructor(options: SharedStatementsOptions<Item>) {
    this.#options = options
  }

  run(tenant: Tenant, { view: _view, ...table }: KnownTable, item: Item): Promise<string | null> {
    const key = `${table.definition.id}/${table.definition.version}`
    const entry = { item, done: Promise.withResolvers<string | null>() }
    if (this.#alone.has(key)) {
      void this.#run({ key, tenant, table, running: 0, waiting: [] }, [entry])
      return entry.done.promise
    }
    const line = this.#lines.get(key) ?? { key, tenant, table, running: 0, waiting: [] }
    this.#lines.set(key, line)
    this.#join(line, entry)
    if (line.running < maxRunning) this.#runNext(line)
    return entry.done.promise
  }

  #join(line: Line<Item>, entry: Entry<Item>): void {
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

  #runNext(line: Line<Item>): void {
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
  async #run(line: Line<Item>, entries: readonly Entry<Item>[]): Promise<void> {
    const { enter, statement, isOfOneItem } = this.#options
    const items = entries.map(({ item }) => item)
    try {
      const records = await enter(line.tenant, () => statement(line.table, items))
      for (const [place, { done }] of entries.entries()) done.resolve(records[place] ?? null)
    } catch (err) {
      if (entries.length > 1 && isOfOneItem(err)) {
        this.#alone.add(line.key)
        setTimeout(() => this.#alone.delete(line.key), aloneForMs).unref()
        await Promise.all(entries.map((entry) => this.#run(line, [entry])))
      } else for (const { done } of entries) done.reject(err)
    }
  }
}
