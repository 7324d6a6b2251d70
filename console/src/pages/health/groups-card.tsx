import type { InstallationHealth } from '@surehook/client'
import { count } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { NotRead } from './not-read.tsx'

type Group = NonNullable<InstallationHealth['groups']>[number]

const columns: readonly Column<Group>[] = [
  { id: 'group', header: 'Group', cell: ({ group }) => <code>{group}</code>, isTitle: true },
  { id: 'state', header: 'State', cell: ({ state }) => state },
  { id: 'members', header: 'Members', cell: ({ members }) => count(members), align: 'end' },
  { id: 'lag', header: 'Unread messages', cell: ({ lag }) => count(lag), align: 'end' },
  {
    id: 'lost',
    header: 'Deleted unread',
    cell: ({ lost }) => (lost.length === 0 ? '–' : <code>{lost.join(', ')}</code>),
  },
]

const idOf = ({ group }: Group) => group

export const GroupsCard = ({ groups }: Pick<InstallationHealth, 'groups'>) => (
  <Card title="Consumer groups" isFlush>
    {groups === null ? (
      <NotRead />
    ) : (
      <DataTable label="Consumer groups" columns={columns} rows={groups} idOf={idOf} />
    )}
  </Card>
)
