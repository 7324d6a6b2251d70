import type { Ledger } from '@surehook/client'
import { count, plural } from '../../parts/data/numbers.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { Badge } from '../../parts/data/status-badge.tsx'
import { ExactTime } from '../../parts/data/time/time.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'
import { HolesCard } from './holes-card.tsx'
import { ledgerCommand, totalsOf, verdictOf } from './ledger-text.ts'
import { LinesCard } from './lines-card.tsx'

type LedgerViewProps = { ledger: Ledger; scope: { project?: string; environment?: string } }

export function LedgerView({ ledger, scope }: LedgerViewProps) {
  const { from, to, changes, seconds, total } = ledger
  const { tone, title, text } = verdictOf(ledger)
  return (
    <>
      <Card title="Result">
        <div className="stack">
          <div className="stack-tight" role="status">
            <p>
              <Badge tone={tone}>{title}</Badge>
            </p>
            <p>{text}</p>
          </div>
          <Stats items={totalsOf(total)} />
          <Facts
            items={[
              ['Changes from', <ExactTime key="from" at={from} />],
              ['Until', <ExactTime key="to" at={to} />],
              ['Changes', `${count(changes)}, read in ${seconds.toFixed(1)} s`],
              ['Not judged', notJudged(ledger)],
              ['Ended twice', count(total.endedTwice + total.asked.endedTwice)],
              ['Asked for by users', count(total.asked.made)],
            ]}
          />
          <Command text={ledgerCommand({ from, to, ...scope })} />
        </div>
      </Card>
      <HolesCard ledger={ledger} />
      <LinesCard ledger={ledger} />
    </>
  )
}

const notJudged = ({ total: { awaiting, unverified } }: Ledger) =>
  `${plural(awaiting, 'change')} not matched yet, ${plural(unverified, 'job')} of unknown webhooks`
