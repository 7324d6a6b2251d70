import type { RunningJobs } from '@surehook/client'
import { count } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { tenantColumn } from '../../parts/data/tables/tenant-columns.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { idOf, SpanCell, webhookColumn } from './job-columns.tsx'
import { leftText } from './jobs-text.ts'

type Recovery = RunningJobs['recoveries'][number]

const columns: readonly Column<Recovery>[] = [
  webhookColumn,
  tenantColumn,
  {
    id: 'span',
    header: 'Dead letters of',
    cell: ({ since, until }) => <SpanCell from={since} until={until} />,
  },
  { id: 'left', header: 'Left to send', cell: ({ left }) => leftText(left), align: 'end' },
  {
    id: 'since',
    header: 'Started',
    cell: ({ requestedAt }) => <Time at={requestedAt} />,
  },
]

type RecoveriesCardProps = {
  jobs: Pick<RunningJobs, 'recoveries' | 'recoveriesLeftOut' | 'rebuild'>
}

export function RecoveriesCard({ jobs }: RecoveriesCardProps) {
  const { recoveries, recoveriesLeftOut, rebuild } = jobs
  const waits = rebuild?.state === 'running'
  return (
    <Card title="Recoveries" isFlush>
      {recoveries.length === 0 ? (
        <EmptyState icon="delivery" title="No recovery runs">
          <p>A recovery sends the dead letters of a webhook again.</p>
        </EmptyState>
      ) : (
        <DataTable label="Recoveries" columns={columns} rows={recoveries} idOf={idOf} />
      )}
      {recoveriesLeftOut > 0 && (
        <p className="table-note">{count(recoveriesLeftOut)} more are not shown.</p>
      )}
      {waits && <p className="table-note">Recoveries wait until the history is rebuilt.</p>}
    </Card>
  )
}
