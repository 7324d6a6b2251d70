import { AppError } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import type { RowLimits } from '../authorization/grants.ts'
import type { TableDefinition, Tenant } from '../table-definition.ts'
import { PreparedTables } from './prepared-tables.ts'
import { requireRecords } from './read-tables.ts'
import { type RecordStatements, recordStatements } from './record-statements.ts'

export type KnownTable = {
  definition: TableDefinition
  sql: RecordStatements
  /** If true, each connection prepares the table's statements. */
  prepared: boolean
  /**
   * Reduces a record's JSON to what the caller may read. If absent, the caller may read all of it.
   */
  view?: (record: string) => string
  /** The limits of the caller's rules. If absent, no rule applies to the call. */
  limits?: RowLimits
}

/** The view of a caller who may read all of a record. */
export const asItIs = (record: string): string => record

export type TableCache = {
  /**
   * Calls `attempt` with the cached definition of the table. The definition may be outdated if the
   * attempt finds nothing (`null`), rejects the request or its caller, or fails on the table's
   * structure. It is then read again, and if it changed, the attempt is repeated. Other replicas
   * change definitions too; see `recordStatements` for why a successful attempt is never outdated.
   */
  use<T>(
    tenant: Tenant,
    name: string,
    attempt: (table: KnownTable) => Promise<T | null>,
  ): Promise<T | null>
}

const maxTables = 2_000
const maxTries = 10

/** Undefined table, column, schema, function or type: the errors of SQL for an old definition. */
const structureErrors = /^(?:42...|3F000)$/

type Definition = Pick<KnownTable, 'definition' | 'sql'>

export type TableCacheOptions = {
  now?: () => number
  /** Wraps each read of the catalogue. Set it if the callers of `use` hold no slot of the tenant. */
  enter?: <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>
}

export function createTableCache(
  pool: Pool,
  { now = () => performance.now(), enter = (_tenant, work) => work() }: TableCacheOptions = {},
): TableCache {
  /** Least recently used first. */
  const known = new Map<string, Definition>()
  const prepared = new PreparedTables(now)

  function keep(key: string, table: Definition): Definition {
    known.delete(key)
    known.set(key, table)
    const [longestUnused] = known.keys()
    if (known.size > maxTables && longestUnused !== undefined) forget(longestUnused)
    return table
  }

  function forget(key: string): void {
    known.delete(key)
    prepared.forget(key)
  }

  async function load(tenant: Tenant, name: string): Promise<Definition> {
    const key = keyOf(tenant, name)
    let definition: TableDefinition
    try {
      definition = await enter(tenant, () => requireRecords(pool, tenant, name))
    } catch (err) {
      if (err instanceof AppError) forget(key)
      throw err
    }
    const cached = known.get(key)
    if (cached !== undefined && isSame(cached.definition, definition)) return keep(key, cached)
    return keep(key, { definition, sql: recordStatements(definition) })
  }

  return {
    async use(tenant, name, attempt) {
      const key = keyOf(tenant, name)
      const cached = known.get(key)
      let table = cached === undefined ? await load(tenant, name) : keep(key, cached)
      for (let triesLeft = maxTries; ; triesLeft--) {
        const outcome = await outcomeOf(attempt, { ...table, prepared: prepared.use(key) })
        if (outcome.kind === 'done') return outcome.result
        const fresh = await load(tenant, name)
        if (isSame(fresh.definition, table.definition)) return outcome.conclude()
        if (triesLeft === 0) throw new AppError('SERVICE_UNAVAILABLE', 'The table keeps changing')
        table = fresh
      }
    },
  }
}

type Outcome<T> = { kind: 'done'; result: T } | { kind: 'doubtful'; conclude: () => null }

async function outcomeOf<T>(
  attempt: (table: KnownTable) => Promise<T | null>,
  table: KnownTable,
): Promise<Outcome<T>> {
  try {
    const result = await attempt(table)
    return result === null ? { kind: 'doubtful', conclude: () => null } : { kind: 'done', result }
  } catch (err) {
    if (!mayBeOutdated(err)) throw err
    const conclude = () => {
      throw err
    }
    return { kind: 'doubtful', conclude }
  }
}

function mayBeOutdated(err: unknown): boolean {
  if (err instanceof AppError) return err.code === 'VALIDATION_ERROR' || err.code === 'FORBIDDEN'
  return structureErrors.test(sqlStateOf(err) ?? '')
}

const keyOf = ({ projectId, environment }: Tenant, name: string): string =>
  JSON.stringify([projectId, environment, name])

const isSame = (a: TableDefinition, b: TableDefinition): boolean =>
  a.id === b.id && a.version === b.version
