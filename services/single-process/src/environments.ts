export const services = [
  'auth-service',
  'data-api',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof services)[number]

/** Only this process reaches the servers that these variables are about. */
const inside = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  // The gateway alone asks them: whoever is connected is a client, or the client's own proxy.
  AUTH_TRUSTED_PROXIES: '0.0.0.0/0,::/0',
  // The address of auth-service is known when it listens; the gateway needs none.
  AUTH_SERVICE_URL: 'http://127.0.0.1',
  DATA_API_URL: 'http://127.0.0.1',
  WEBHOOK_API_URL: 'http://127.0.0.1',
}

/**
 * The variables of one service: those of the process, of which `DATABASE_URL_DATA_API` is data-api's own `DATABASE_URL`.
 * The gateway listens where the process does.
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

/** What `environmentOf` would say of `LOG_LEVEL`, before anything is read. */
export function logLevelOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return env[`LOG_LEVEL${suffixOf(name)}`] || env['LOG_LEVEL']
}

const suffixOf = (service: string) => `_${service.replaceAll('-', '_').toUpperCase()}`
