import type { InstallationHealth } from '@surehook/client'
import { byteSize } from '@surehook/contracts/byte-size'
import { Badge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { NotRead } from './not-read.tsx'

type Slot = NonNullable<InstallationHealth['slots']>[number]

const sizeText = (value: number | null) => (value === null ? '–' : byteSize(value))

const columns: readonly Column<Slot>[] = [
  {
    id: 'active',
    header: 'State',
    cell: ({ active }) =>
      active ? <Badge tone="good">Read</Badge> : <Badge tone="bad">Read by nobody</Badge>,
  },
  { id: 'slot', header: 'Slot', cell: ({ slot }) => <code>{slot}</code>, isTitle: true },
  {
    id: 'kept',
    header: 'WAL kept',
    cell: ({ retainedBytes }) => sizeText(retainedBytes),
    align: 'end',
  },
  {
    id: 'behind',
    header: 'Behind',
    cell: ({ lagBytes }) => sizeText(lagBytes),
    align: 'end',
    // The checks say it too.
  },
  {
    id: 'status',
    header: 'WAL status',
    cell: ({ status }) => status ?? 'Unknown',
  },
]

const idOf = ({ slot }: Slot) => slot

type SlotsCardProps = Pick<InstallationHealth, 'slots'> & { limitBytes: number | null }

export const SlotsCard = ({ slots, limitBytes }: SlotsCardProps) => (
  <Card title="Replication slots" isFlush>
    {slots === null ? (
      <NotRead />
    ) : (
      <>
        <DataTable label="Replication slots" columns={columns} rows={slots} idOf={idOf} />
        <p className="table-note">
          {limitBytes === null
            ? 'max_slot_wal_keep_size sets no limit: a slot that nobody reads fills the disk.'
            : `PostgreSQL gives up a slot that keeps more than ${byteSize(limitBytes)}, and its changes are lost.`}
        </p>
      </>
    )}
  </Card>
)
