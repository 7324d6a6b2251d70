import type { Tenant } from './tenant.ts'

/** A request of a tenant. */
export type TenantCall = {
  tenant: Tenant
  /** The header `Idempotency-Key`, if sent. */
  key: string | undefined
  traceparent: string | null
}

export function tenantCall(
  { headers }: { headers: { 'idempotency-key'?: string | undefined } },
  { auth, traceparent }: { auth: Tenant; traceparent: string | null },
): TenantCall {
  return { tenant: auth, key: headers['idempotency-key'], traceparent }
}
