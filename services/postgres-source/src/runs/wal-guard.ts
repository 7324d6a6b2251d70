import type { Client } from 'pg'
import { forgetSlot } from '../slot/slot-store.ts'
import { dropSourceSlot, readSourceSlot } from '../slot/source-slot.ts'
import { budgetState, type WalSample } from '../slot/wal-budget.ts'
import { type SourceRow, slotNameOf } from '../source-row.ts'
import type { RunDeps } from './run-deps.ts'
import type { RunStatus } from './run-status.ts'
import { stateGap } from './state-gap.ts'

/** Keeps the WAL that a database keeps for its slot within the budget. */
export class WalGuard {
  readonly #of: { row: SourceRow; deps: RunDeps; status: RunStatus }
  #first: WalSample | null = null

  constructor(of: { row: SourceRow; deps: RunDeps; status: RunStatus }) {
    this.#of = of
  }

  /**
   * Resolves with whether the slot can be read. Beyond the budget it drops the slot: the user's
   * database outranks the changes.
   */
  async look(client: Client): Promise<boolean> {
    const { row, deps, status } = this.#of
    const { slot, retained } = await readSourceSlot(client, slotNameOf(row.id))
    if (slot === null || slot.isLost) return false
    const now = { retained, at: performance.now() }
    const budget = Number(row.wal_budget)
    const { level, exhaustedInS } = budgetState(budget, { now, before: this.#first })
    this.#first ??= now
    const budgetEndsInS = exhaustedInS === null ? null : Math.round(exhaustedInS)
    status.set({ retainedBytes: retained, budgetEndsInS })
    if (level !== 'exhausted') return true
    await dropSourceSlot(client, slotNameOf(row.id))
    status.set({ retainedBytes: 0, budgetEndsInS: null })
    await stateGap({ row, deps }, { reason: 'budget_exhausted', table: null })
    await forgetSlot(deps.pool, { id: row.id, owner: deps.owner })
    return false
  }
}
