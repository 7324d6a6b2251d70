import { accessActions } from '@surehook/contracts/http/data/access'
import type { Access, AccessEntry } from '../lib/access.ts'
import { cellOf } from './text-table.ts'

/** A row for each role and rule. An action of no user has a row too. */
export const accessRows = (access: Access) =>
  accessActions.flatMap((action) => {
    const entries = access[action]
    if (entries.length === 0) return [{ action, role: '-', records: '-', columns: '-', sets: '-' }]
    return entries.map((entry) => ({ action, ...limitsOf(entry) }))
  })

function limitsOf(entry: AccessEntry) {
  const { role, where, columns, set } = typeof entry === 'string' ? { role: entry } : entry
  return {
    role,
    records: where === undefined ? 'all' : cellOf(where),
    columns: columns === undefined ? 'all' : cellOf(columns),
    sets: cellOf(set),
  }
}
