export const serviceNames = [
  'auth-service',
  'data-api',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof serviceNames)[number]

/** Parts of a service besides its process. */
export type ServiceTraits = { api: boolean; database?: { mayCreateSchemas: boolean } }

export const serviceTraits: Record<ServiceName, ServiceTraits> = {
  'auth-service': { api: true, database: { mayCreateSchemas: false } },
  'data-api': { api: true, database: { mayCreateSchemas: true } },
  'webhook-api': { api: true, database: { mayCreateSchemas: false } },
  'webhook-matcher': { api: false },
  'webhook-dispatcher': { api: false },
  gateway: { api: true },
}
