import type { Ledger, LedgerCounts } from '@surehook/contracts/http/webhooks/ledger'

type Row = readonly string[]

const columns: readonly [title: string, of: (counts: LedgerCounts) => number][] = [
  ['matched', ({ matched }) => matched],
  ['delivered', ({ delivered }) => delivered],
  ['dead', ({ dead }) => dead],
  ['pending', ({ pending }) => pending],
  ['retrying', ({ retrying }) => retrying],
  ['paused', ({ paused }) => paused],
  ['cancelled', ({ cancelled }) => cancelled],
  ['holes', (counts) => counts.neverMatched + counts.lost + counts.unexpected + counts.asked.lost],
  ['awaiting', ({ awaiting }) => awaiting],
  ['unverified', ({ unverified }) => unverified],
  ['twice', ({ endedTwice, asked }) => endedTwice + asked.endedTwice],
  ['asked', ({ asked }) => asked.made],
]

const shown = { webhooks: 50, events: 100 } as const

/** Formats a ledger as lines for a terminal. */
export function ledgerTable(ledger: Ledger): string[] {
  const { from, to, changes, seconds, webhooks, total, notes } = ledger
  const lines = webhooks.slice(0, shown.webhooks)
  const numbers = (counts: LedgerCounts) => columns.map(([, of]) => String(of(counts)))
  const rows: Row[] = [
    ['project', 'environment', 'webhook', ...columns.map(([title]) => title)],
    ...lines.map((line) => [line.projectId, line.environment, line.webhookId, ...numbers(line)]),
    ['all', '', '', ...numbers(total)],
  ]
  const notShown = webhooks.length - lines.length + ledger.webhooksLeftOut
  return [
    `Changes written from ${from} to ${to}: ${changes} (read in ${seconds.toFixed(1)} s)`,
    '',
    ...aligned(rows),
    ...(notShown > 0 ? [`… and ${notShown} more webhooks`] : []),
    ...holesOf(ledger),
    '',
    ...notes,
    verdictOf(ledger),
  ]
}

const names = 3

function aligned(rows: readonly Row[]): string[] {
  const widthAt = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0))
  const widths = (rows[0] ?? []).map((_, at) => widthAt(at))
  const cell = (text: string, at: number) =>
    at < names ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)
  return rows.map((row) => row.map(cell).join('  ').trimEnd())
}

function holesOf({ holes, holesLeftOut }: Ledger): string[] {
  if (holes.length === 0) return []
  const lines = holes.slice(0, shown.events)
  const left = holes.length - lines.length + holesLeftOut
  return [
    '',
    'Holes, by event:',
    ...lines.map(({ eventId, reason, asked, webhookId }) => {
      const kind = asked ? '  (asked for)' : ''
      return `  ${eventId}  ${reason.padEnd(13)}  ${webhookId}${kind}`
    }),
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ]
}

function verdictOf({ complete, closes, holes, holesLeftOut }: Ledger): string {
  if (!complete) return 'The ledger is not complete.'
  if (closes) return 'The ledger closes: no delivery is missing.'
  return `The ledger does not close: ${holes.length + holesLeftOut} holes.`
}
