import type { AccessExplanation } from '@surehook/client'
import { explainedActions } from '@surehook/contracts/http/data/explanation'
import { type Table, tableOf } from './shown.ts'
import { cellOf } from './text-table.ts'

/** A line for each action, and a row for each rule. */
export function explanationLines(explanation: AccessExplanation): (string | Table)[] {
  const rows = explainedActions.flatMap((action) =>
    explanation[action].rules.map(({ rule, outcome, reason, expected, actual }) => ({
      action,
      role: typeof rule === 'string' ? rule : rule.role,
      admits: outcome === 'admits' ? 'yes' : 'no',
      reason,
      expected: cellOf(expected),
      actual: cellOf(actual),
    })),
  )
  const verdicts = explainedActions.map((action) => {
    const { allowed, reason, columns } = explanation[action]
    const named = allowed && columns !== undefined ? `: ${columns.join(', ')}` : ''
    return `${action}: ${allowed ? 'yes' : 'no'}. ${reason}${named}`
  })
  return [...verdicts, '', ...(rows.length === 0 ? [] : [tableOf(rows)])]
}
