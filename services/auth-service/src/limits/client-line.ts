import { networkOf } from '@surehook/service-kit/http/request/counted-client'

type Place = { readonly projectId: string; readonly environment: string }

/**
 * The path of a client in a fair queue. The queue takes turns between tenants, and inside a tenant
 * between networks.
 */
export type ClientLine = readonly [tenant: string, network: string]

export const clientLine = (
  { projectId, environment }: Place,
  client: { readonly address: string },
): ClientLine => [`${projectId}/${environment}`, networkOf(client.address)]
