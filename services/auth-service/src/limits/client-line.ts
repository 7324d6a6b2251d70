import { routedNetwork } from '@surehook/service-kit/http/request/client-networks'

type TenantName = { readonly projectId: string; readonly environment: string }

/**
 * The owner of a client's slots. Tenants take turns, and inside a tenant the networks of its
 * clients.
 */
export type ClientLine = readonly [tenant: string, network: string]

export const clientLine = (
  { projectId, environment }: TenantName,
  client: { readonly address: string },
): ClientLine => [`${projectId}/${environment}`, routedNetwork(client.address)]
