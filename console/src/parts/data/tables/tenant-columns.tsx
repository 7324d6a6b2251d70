import type { ReactNode } from 'react'
import { TenantLink } from '../../layout/tenant-link.tsx'
import type { Tenant } from '../../layout/tenant-target.ts'
import type { Column } from './data-table.tsx'

/** The environment of a row, for the operator. */
export const tenantColumn: Column<Tenant> = {
  id: 'tenant',
  header: 'Environment',
  cell: ({ projectId, environment }) => `${projectId} / ${environment}`,
}

type TenantUrlCellProps = { tenant: Tenant; to: string; children: ReactNode }

/** The main cell of a row: a URL that leads to a page of its tenant. */
export function TenantUrlCell({ tenant, to, children }: TenantUrlCellProps) {
  const { projectId, environment } = tenant
  return (
    <span className="cell-main">
      <span className="cell-url">
        <TenantLink to={to} projectId={projectId} environment={environment}>
          {children}
        </TenantLink>
      </span>
    </span>
  )
}
