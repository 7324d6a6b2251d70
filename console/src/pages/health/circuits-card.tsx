import type { InstallationHealth } from '@surehook/client'
import { count, plural } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { TenantUrlCell, tenantColumn } from '../../parts/data/tables/tenant-columns.tsx'
import { Due } from '../../parts/data/time/time.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { NotRead } from './not-read.tsx'

type Circuits = NonNullable<InstallationHealth['circuits']>
type Circuit = Circuits['open'][number]

const columns: readonly Column<Circuit>[] = [
  {
    id: 'url',
    header: 'Endpoint',
    isTitle: true,
    cell: (circuit) => (
      <TenantUrlCell tenant={circuit} to="/endpoints">
        {circuit.url}
      </TenantUrlCell>
    ),
  },
  tenantColumn,
  { id: 'next', header: 'Next attempt', cell: ({ openUntil }) => <Due at={openUntil} /> },
  {
    id: 'webhooks',
    header: 'Webhooks',
    cell: (circuit) => <Webhooks circuit={circuit} />,
  },
]

/** The first of its webhooks with a name, and how many others there are. */
function Webhooks({ circuit: { webhooks, webhookNames } }: { circuit: Circuit }) {
  const [name] = Object.values(webhookNames ?? {})
  const others = webhooks.length - 1
  if (name === undefined) return plural(webhooks.length, 'webhook')
  return (
    <>
      <bdi>{name}</bdi>
      {others > 0 && ` and ${count(others)} more`}
    </>
  )
}

const idOf = ({ endpointId }: Circuit) => endpointId

export function CircuitsCard({ circuits }: Pick<InstallationHealth, 'circuits'>) {
  return (
    <Card title="Open circuits of all tenants" isFlush>
      {circuits === null ? <NotRead /> : <Open circuits={circuits} />}
    </Card>
  )
}

function Open({ circuits: { open, leftOut, isComplete } }: { circuits: Circuits }) {
  return (
    <>
      {open.length === 0 ? (
        <p className="table-note">No failing webhook has an open circuit.</p>
      ) : (
        <DataTable label="Open circuits" columns={columns} rows={open} idOf={idOf} />
      )}
      {leftOut > 0 && <p className="table-note">{count(leftOut)} more are not shown.</p>}
      {!isComplete && (
        <p className="table-note">
          More than 1,000 webhooks fail. Only the circuits of the 1,000 that failed last were read.
        </p>
      )}
    </>
  )
}
