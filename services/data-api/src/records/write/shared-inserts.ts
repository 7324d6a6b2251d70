import { AppError, unavailable } from '@surehook/service-kit/errors'
import type { KnownTable } from '../../tables/table-cache.ts'
import type { Tenant } from '../../tables/table-definition.ts'
import type { ColumnValues } from '../record-values.ts'
import { sqlStateOf } from '../sql/sql-state.ts'

/** Without what one caller may see of it. */
export type SharedTable = Omit<KnownTable, 'view'>

/** One new record: the head of its change, and its values. */
export type NewRow = { head: string; values: ColumnValues }

export type SharedInserts = {
  /** @returns the record's JSON, whole; `null` when the table is no longer as it is known */
  insert(tenant: Tenant, table: KnownTable, row: NewRow): Promise<string | null>
}

export type SharedInsertsOptions = {
  /** One statement: all rows or none, and their records in the order of the rows; none for an outdated table. */
  write: (table: SharedTable, rows: readonly NewRow[]) => Promise<string[]>
  /** Does the work when the tenant has room for a statement. */
  enter: <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>
  maxWaitMs: number
}

type Entry = { row: NewRow; done: PromiseWithResolvers<string | null> }
type Group = { entries: Entry[]; chars: number; timer: NodeJS.Timeout }
type Line = {
  /** Stands for these columns of this table. */
  key: string
  tenant: Tenant
  table: SharedTable
  running: number
  waiting: Group[]
}

/** The first of a quiet table goes at once; who comes while so many statements are under way waits for one of them to end. */
const maxRunning = 2
const maxRows = 64
const maxChars = 500_000
/** For so long after a row was refused each goes by itself: where many are, sharing only doubles the work. */
const aloneForMs = 1_000

/**
 * Requests that insert a record each into the same table at the same time share a statement, and with it the commit: most
 * CPU of an insert, in PostgreSQL and in the relays' decoders, is per statement and commit. When PostgreSQL refuses a row,
 * every row is inserted by itself. After any other error the commit may have happened, so nothing is repeated.
 */
export function createSharedInserts(options: SharedInsertsOptions): SharedInserts {
  return new InsertLines(options)
}

class InsertLines implements SharedInserts {
  readonly #options: SharedInsertsOptions
  readonly #lines = new Map<string, Line>()
  /** Tables whose inserts do not share for now. */
  readonly #alone = new Set<string>()

  constructor(options: SharedInsertsOptions) {
    this.#options = options
  }

  insert(
    tenant: Tenant,
    { view: _view, ...table }: KnownTable,
    row: NewRow,
  ): Promise<string | null> {
    const key = `${table.definition.id}/${table.definition.version}`
    const entry = { row, done: Promise.withResolvers<string | null>() }
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

  #join(line: Line, entry: Entry): void {
    const chars = charsOf(entry.row)
    const last = line.waiting.at(-1)
    if (last && last.entries.length < maxRows && last.chars + chars <= maxChars) {
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

  #runNext(line: Line): void {
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
  async #run(line: Line, entries: readonly Entry[]): Promise<void> {
    const { enter, write } = this.#options
    const rows = entries.map(({ row }) => row)
    try {
      const records = await enter(line.tenant, () => write(line.table, rows))
      for (const [place, { done }] of entries.entries()) done.resolve(records[place] ?? null)
    } catch (err) {
      if (entries.length > 1 && isOfOneRow(err)) {
        this.#alone.add(line.key)
        setTimeout(() => this.#alone.delete(line.key), aloneForMs).unref()
        await Promise.all(entries.map((entry) => this.#run(line, [entry])))
      } else for (const { done } of entries) done.reject(err)
    }
  }
}

const charsOf = ({ values }: NewRow): number =>
  values.reduce((sum, value) => sum + (value?.length ?? 0), 0)

/** PostgreSQL refused one of the rows, and wrote none: its data, a constraint, a deadlock over unique values, its size. */
const rowErrors = /^(?:2[23]...|40P01)$/

const isOfOneRow = (err: unknown): boolean =>
  err instanceof AppError ? err.code === 'PAYLOAD_TOO_LARGE' : rowErrors.test(sqlStateOf(err) ?? '')
