export const serviceNames = [
  'auth-service',
  'data-api',
  'postgres-source',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof serviceNames)[number]

/** Parts of a service besides its process. */
export type ServiceTraits = {
  api: boolean
  /** `captures`: a slot of its own relays what it writes. */
  database?: { mayCreateSchemas: boolean; captures: boolean }
}

export const serviceTraits: Record<ServiceName, ServiceTraits> = {
  'auth-service': { api: true, database: { mayCreateSchemas: false, captures: true } },
  'data-api': { api: true, database: { mayCreateSchemas: true, captures: true } },
  'postgres-source': { api: true, database: { mayCreateSchemas: false, captures: false } },
  'webhook-api': { api: true, database: { mayCreateSchemas: false, captures: true } },
  'webhook-matcher': { api: false },
  'webhook-dispatcher': { api: false },
  gateway: { api: true },
}

/** Services with tables. */
export const databaseServices = serviceNames.filter((name) => serviceTraits[name].database)
