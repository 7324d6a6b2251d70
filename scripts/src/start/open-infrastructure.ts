import type { Endpoints } from '../lib/endpoints.ts'
import { state } from '../lib/paths.ts'
import type { ComponentName } from '../local-stack/component.ts'
import { startLocalStack } from '../local-stack/local-stack.ts'
import { chooseWay, circumstancesOf } from './choose-way.ts'
import { startContainers } from './container-infrastructure.ts'
import { progress, step } from './progress.ts'

export type Infrastructure = { endpoints: Endpoints; stop(): Promise<void> }

const variables = {
  kafka: 'KAFKA_BROKERS',
  registry: 'SCHEMA_REGISTRY_URL',
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
} as const satisfies Record<ComponentName, string>

/**
 * Uses the components that the environment names, and starts the others. `stop` stops only the
 * latter.
 */
export async function openInfrastructure(env: NodeJS.ProcessEnv): Promise<Infrastructure> {
  const names = Object.keys(variables) as ComponentName[]
  const given = names.filter((name) => Boolean(env[variables[name]]))
  for (const name of given) progress(`${name}: using ${variables[name]}`)
  const only = names.filter((name) => !given.includes(name))
  if (only.length === 0) return { endpoints: endpointsFrom(env), stop: async () => {} }
  const stack = await start(only, env)
  const named = endpointsFrom(env)
  return {
    endpoints: {
      databaseUrl: named.databaseUrl || stack.databaseUrl,
      kafkaBrokers: named.kafkaBrokers || stack.kafkaBrokers,
      schemaRegistryUrl: named.schemaRegistryUrl || stack.schemaRegistryUrl,
      redisUrl: named.redisUrl || stack.redisUrl,
    },
    stop: () => stack.stop(),
  }
}

async function start(
  only: readonly ComponentName[],
  env: NodeJS.ProcessEnv,
): Promise<Endpoints & { stop(): Promise<void> }> {
  const { way, because } = await chooseWay(circumstancesOf(env, progress))
  if (way === 'local') {
    progress(`${only.join(', ')}: as processes (${because})`)
    return startLocalStack({ dir: state.stackDir, only, keepAlive: true, log: progress })
  }
  progress(`${only.join(', ')}: in containers (${because})`)
  return step('containers ready', () => startContainers(only, progress))
}

function endpointsFrom(env: NodeJS.ProcessEnv): Endpoints {
  return {
    databaseUrl: env[variables.postgres] ?? '',
    kafkaBrokers: env[variables.kafka] ?? '',
    schemaRegistryUrl: env[variables.registry] ?? '',
    redisUrl: env[variables.redis] ?? '',
  }
}
