import type { Source } from '@surehook/contracts/http/sources'
import { type SourceAddress, sslModes } from '../connection/source-url.ts'
import { pendingStatus, type SourceRow, slotNameOf } from '../source-row.ts'

/** A source as the API shows it. */
export function sourceView(
  row: SourceRow,
  { address, tables }: { address: SourceAddress; tables: Source['tables'] },
): Source {
  const { findings, ...status } = { ...pendingStatus, ...row.status }
  return {
    name: row.name,
    url: shownUrl(address),
    publication: row.publication,
    walBudget: Number(row.wal_budget),
    slot: slotNameOf(row.id),
    ...status,
    findings: [...findings],
    tables,
    gap: row.gap,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The URL without its password. */
export function shownUrl({ host, port, user, database, sslMode }: SourceAddress): string {
  const mode = sslMode === sslModes[0] ? '' : `?sslmode=${sslMode}`
  const shown = host.includes(':') ? `[${host}]` : host
  return `postgresql://${encodeURIComponent(user)}@${shown}:${port}/${encodeURIComponent(database)}${mode}`
}
