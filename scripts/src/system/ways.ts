import type { ComponentName } from '../local-stack/component.ts'

/** Loopback ports that lead to components, such as those of proxies. */
export type Ways = Partial<Record<ComponentName, number>>

const variables: Record<ComponentName, string> = {
  kafka: 'KAFKA_BROKERS',
  registry: 'SCHEMA_REGISTRY_URL',
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
}

/** Replaces the ports in a service's variables. */
export function onWays(env: NodeJS.ProcessEnv, ways: Ways): NodeJS.ProcessEnv {
  const changed: NodeJS.ProcessEnv = {}
  for (const [component, port] of Object.entries(ways) as [ComponentName, number][]) {
    const name = variables[component]
    const direct = env[name]
    if (direct !== undefined)
      changed[name] = direct.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)
  }
  return { ...env, ...changed }
}
