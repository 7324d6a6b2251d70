/** WAL that the source keeps for the slot, at a time in ms. */
export type WalSample = { retained: number; at: number }

export type BudgetState = {
  /** `exhausted`: the slot is to be dropped, because the source's disk comes first. */
  level: 'ok' | 'half' | 'exhausted'
  /** Seconds until the budget is used up at the present rate; `null`: it does not grow. */
  exhaustedInS: number | null
}

/** @param budget in bytes */
export function budgetState(
  budget: number,
  { now, before }: { now: WalSample; before: WalSample | null },
): BudgetState {
  if (now.retained >= budget) return { level: 'exhausted', exhaustedInS: 0 }
  const level = now.retained * 2 >= budget ? 'half' : 'ok'
  const elapsedS = before === null ? 0 : (now.at - before.at) / 1000
  const perSecond = before === null ? 0 : (now.retained - before.retained) / elapsedS
  const grows = elapsedS > 0 && perSecond > 0
  return { level, exhaustedInS: grows ? (budget - now.retained) / perSecond : null }
}
