import type { Ledger } from '@surehook/client'
import { count, plural } from '../../parts/data/numbers.ts'
import type { Tone } from '../../parts/data/status-badge.tsx'

type Counts = Omit<Ledger['total'], 'asked'> & { asked: { lost: number } }
type Hole = Ledger['holes'][number]

export const holesOf = ({ neverMatched, lost, unexpected, asked }: Counts): number =>
  neverMatched + lost + unexpected + asked.lost

export const waitingOf = ({ pending, retrying, paused }: Counts): number =>
  pending + retrying + paused

/** A job too many: nothing is missing. */
export const isUnexpected = ({ reason }: Pick<Hole, 'reason'>): boolean => reason === 'unexpected'

const missingText =
  'Replay the changes of this time span to each webhook with holes. The replay delivers what is missing.'
const unexpectedText =
  'Nothing is missing. Find out who else writes to the delivery topics, and whether the topic ' +
  '“changes” lost records.'

/** The answer to the question of a ledger. */
export function verdictOf(ledger: Ledger): { tone: Tone; title: string; text: string } {
  const { complete, closes, holes, holesLeftOut, notes } = ledger
  if (!complete) {
    return { tone: 'warn', title: 'The ledger is not complete', text: notes.join(' ') }
  }
  if (closes) {
    const text = 'Every delivery that the changes must make is on the topics.'
    return { tone: 'good', title: 'The ledger closes: no delivery is missing', text }
  }
  return {
    tone: 'bad',
    title: `The ledger does not close: ${plural(holes.length + holesLeftOut, 'hole')}`,
    text: holes.every(isUnexpected) ? unexpectedText : missingText,
  }
}

/** The totals, each with its name. */
export const totalsOf = (total: Counts): [string, string][] => [
  ['Must be made', count(total.matched)],
  ['Delivered', count(total.delivered)],
  ['Dead letters', count(total.dead)],
  ['Pending', count(total.pending)],
  ['Retrying', count(total.retrying)],
  ['Paused', count(total.paused)],
  ['Cancelled', count(total.cancelled)],
  ['Holes', count(holesOf(total))],
]

export const reasonTexts: Record<Hole['reason'], string> = {
  never_matched: 'The matcher passed the change, and made no job',
  lost: 'A job existed, and no topic holds it any more',
  unexpected: 'A job exists without a change that matches',
}

type LedgerScope = { from: string; to: string; project?: string; environment?: string }

/** The command that takes the same ledger. */
export function ledgerCommand({ from, to, project, environment }: LedgerScope): string {
  const only = [
    ...(project === undefined ? [] : [`--project ${project}`]),
    ...(environment === undefined ? [] : [`--environment ${environment}`]),
  ]
  return ['npx surehook ledger', `--from ${from} --to ${to}`, ...only].join(' ')
}
