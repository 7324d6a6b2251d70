import type { InstallationHealth } from '@surehook/client'
import type { GatewayState } from '../../api/gateway-state.ts'
import { Badge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { type ServiceSeen, servicesSeen } from './services-seen.ts'

const columns: readonly Column<ServiceSeen>[] = [
  { id: 'state', header: 'State', cell: ({ tone, state }) => <Badge tone={tone}>{state}</Badge> },
  { id: 'service', header: 'Service', cell: ({ name }) => <code>{name}</code>, isTitle: true },
  { id: 'seen', header: 'What shows it', cell: ({ seenBy }) => seenBy },
]

const idOf = ({ name }: ServiceSeen) => name

type ServicesCardProps = { health: InstallationHealth | undefined; gateway: GatewayState }

export const ServicesCard = ({ health, gateway }: ServicesCardProps) => (
  <Card title="Services" isFlush>
    <DataTable
      label="Services"
      columns={columns}
      rows={servicesSeen(health, gateway)}
      idOf={idOf}
    />
    <p className="table-note">
      A request through the gateway reaches only one replica, so the readiness of each replica does
      not show here. Ask each replica at /readyz on its internal port.
    </p>
  </Card>
)
