import { type ServiceName, serviceNames } from './service-catalog.ts'

export type Environments = Readonly<Record<ServiceName, NodeJS.ProcessEnv>>

/** The process knows where its own services are. */
const knownInside = new Set(['AUTH_SERVICE_URL', 'DATA_API_URL', 'WEBHOOK_API_URL'])

/**
 * The variables of the process that holds all services. A variable of which services have different values has the name
 * of its service at its end: `DATABASE_URL_DATA_API`.
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
