import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { runBackgroundWork } from '../jobs/background-work.ts'
import { fitFilter } from '../tables/fit-to-table.ts'
import type { KnownTables, TablePlace } from '../tables/known-tables.ts'
import { announce } from './store/announce.ts'
import type { SubscriptionRow } from './store/subscription-row.ts'
import {
  findFilteredTables,
  findFilters,
  lockAnySubscription,
  updateSubscription,
} from './store/subscription-store.ts'
import { filterText } from './subscription-changes.ts'

export type SettleFiltersDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  tables: Pick<KnownTables, 'fieldsOf' | 'onChange'>
  log: Logger
}

export type SettleFilters = AsyncDisposable & {
  /** Call it after a subscription was written whose table was unknown. */
  look(place: TablePlace): void
}

const retryMs = 1_000
const idleMs = 60_000

/**
 * Fits the operands of filters when their table appears or changes, as POST and PATCH do for an
 * existing table. Filters that do not fit stay unchanged and cause warnings. Every replica tries;
 * the first one does it.
 */
export function runSettleFilters(deps: SettleFiltersDeps): SettleFilters {
  const { pool, tables, log } = deps
  const waiting = new Map<string, TablePlace>()
  const look = (place: TablePlace) => {
    waiting.set(JSON.stringify([place.projectId, place.environment, place.table]), place)
    work.wake()
  }
  let isScanned = false
  const work = runBackgroundWork({
    async work() {
      if (!isScanned) for (const place of await findFilteredTables(pool)) look(place)
      isScanned = true
      const [next] = waiting
      if (next === undefined) return idleMs
      const [key, place] = next
      waiting.delete(key)
      try {
        await settleAll(deps, place)
      } catch (err) {
        waiting.set(key, place)
        throw err
      }
      return 0
    },
    onFailure: (err) => log.warn({ err }, 'subscription.settle_failed'),
    retryMs,
  })
  tables.onChange(look)
  return { look, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() }
}

async function settleAll(deps: SettleFiltersDeps, place: TablePlace): Promise<void> {
  for (const row of await findFilters(deps.pool, place)) {
    if (settled(deps, row) === row.filter) continue
    const { id } = row
    if (await settleOne(deps, id)) deps.log.info({ subscriptionId: id }, 'subscription.settled')
  }
}

function settleOne(deps: SettleFiltersDeps, id: string): Promise<boolean> {
  return deps.writer.write(async (tx, emit) => {
    const before = await lockAnySubscription(tx, id)
    if (before === undefined) return false
    const filter = settled(deps, before)
    if (filter === before.filter) return false
    const after = { ...before, filter, updated_at: new Date() }
    await updateSubscription(tx, after)
    await announce(tx, emit, { before, after })
    return true
  })
}

type FilteredRow = Pick<SubscriptionRow, 'project_id' | 'environment' | 'watched_table' | 'filter'>

function settled({ tables }: SettleFiltersDeps, row: FilteredRow): string | null {
  const { project_id: projectId, environment, watched_table: table } = row
  const fields = tables.fieldsOf({ projectId, environment, table })
  if (fields === undefined || row.filter === null) return row.filter
  return filterText(fitFilter(JSON.parse(row.filter) as Record<string, unknown>, fields).filter)
}
