export const services = [
  'auth-service',
  'data-api',
  'postgres-source',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof services)[number]

/** Only this process can reach these servers. */
const inside = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  // Only the gateway calls these servers, so every address they see is a client or the client's own
  // proxy.
  AUTH_TRUSTED_PROXIES: '0.0.0.0/0,::/0',
  // The address of auth-service is known only once it listens. The gateway needs no addresses.
  AUTH_SERVICE_URL: 'http://127.0.0.1',
  DATA_API_URL: 'http://127.0.0.1',
  POSTGRES_SOURCE_URL: 'http://127.0.0.1',
  WEBHOOK_API_URL: 'http://127.0.0.1',
}

/**
 * Returns the variables of one service. A variable with the service's suffix overrides the general
 * one: `DATABASE_URL_DATA_API` sets data-api's `DATABASE_URL`. The gateway listens on the `HOST`
 * and `PORT` of the process.
 */
export function environmentOf(service: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const suffix = suffixOf(service)
  const own = Object.entries(env)
    .filter(([name, value]) => name.endsWith(suffix) && value)
    .map(([name, value]) => [name.slice(0, -suffix.length), value] as const)
  const { HOST, PORT } = env
  return {
    ...env,
    ...Object.fromEntries(own),
    ...inside,
    ...(service === 'gateway' && { HOST, PORT }),
  }
}

/** The `LOG_LEVEL` that `environmentOf` would return, for use before the configuration is read. */
export function logLevelOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return env[`LOG_LEVEL${suffixOf(name)}`] || env['LOG_LEVEL']
}

const suffixOf = (service: string) => `_${service.replaceAll('-', '_').toUpperCase()}`
