import { type ServiceName, serviceNames } from './service-catalog.ts'

export type Environments = Readonly<Record<ServiceName, NodeJS.ProcessEnv>>

/** Variables that the process does not need, because it contains these services. */
const knownInside = new Set([
  'AUTH_SERVICE_URL',
  'DATA_API_URL',
  'POSTGRES_SOURCE_URL',
  'WEBHOOK_API_URL',
])

/**
 * Returns the variables of the process with all services. If services need different values, the
 * name ends with the service: `DATABASE_URL_DATA_API`.
 */
export function singleEnvironment(environments: Environments): NodeJS.ProcessEnv {
  const merged: NodeJS.ProcessEnv = {}
  for (const service of serviceNames) {
    for (const [name, value] of Object.entries(environments[service])) {
      if (value === undefined || knownInside.has(name)) continue
      const others = serviceNames.map((other) => environments[other][name] ?? value)
      const isOne = others.every((other) => other === value)
      merged[isOne ? name : ownName(name, service)] = value
    }
  }
  return merged
}

const ownName = (name: string, service: ServiceName) =>
  `${name}_${service.replaceAll('-', '_').toUpperCase()}`
