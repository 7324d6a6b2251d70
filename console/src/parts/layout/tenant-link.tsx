import type { ReactNode } from 'react'
import { useHref } from 'react-router'
import { type Tenant, tenantTarget } from './tenant-target.ts'

type TenantLinkProps = Tenant & { to: string; children: ReactNode }

/**
 * Leads the operator to a page of a developer. It opens another tab, because a management token of
 * that project signs in there. A tab without an opener gets no copy of this session.
 */
export function TenantLink({ to, children, ...tenant }: TenantLinkProps) {
  const href = useHref(tenantTarget(to, tenant))
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}
