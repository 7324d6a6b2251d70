import { type ServiceName, serviceNames } from './service-catalog.ts'

export type Environments = Readonly<Record<ServiceName, NodeJS.ProcessEnv>>

/** The process knows where its own services are. */
const knownInside = ['AUTH_SERVICE_URL', 'DATA_API_URL', 'WEBHOOK_API_URL']

/**
 * The variables of the process that holds all services. A variable that is not the same for all of them has the name of
 * its service at its end: `DATABASE_URL_DATA_API`.
 */
export function singleEnvironment(environments: Environments): NodeJS.ProcessEnv {
  const names = new Set(serviceNames.flatMap((service) => Object.keys(environments[service])))
  for (const name of knownInside) names.delete(name)
  const merged: NodeJS.ProcessEnv = {}
  for (const name of names) Object.assign(merged, variablesFor(name, environments))
  const { UV_THREADPOOL_SIZE } = environments['auth-service']
  // Node reads it itself.
  return { ...merged, UV_THREADPOOL_SIZE }
}

function variablesFor(name: string, environments: Environments): NodeJS.ProcessEnv {
  const values = serviceNames.map((service) => environments[service][name])
  if (new Set(values).size === 1) return { [name]: values[0] }
  return Object.fromEntries(
    serviceNames
      .filter((service) => environments[service][name] !== undefined)
      .map((service) => [ownName(name, service), environments[service][name]]),
  )
}

/** `DATABASE_URL` of data-api: `DATABASE_URL_DATA_API`. */
const ownName = (name: string, service: ServiceName) =>
  `${name}_${service.replaceAll('-', '_').toUpperCase()}`
