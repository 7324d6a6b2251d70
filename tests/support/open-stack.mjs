import { startLocalStack } from '../../scripts/src/local-stack/local-stack.ts'

const given = 'TEST_DATABASE_URL'

/** Jest's global set-up: a stack of this run's own, unless the environment names one. */
export default async function openStack() {
  if (process.env[given] !== undefined) return
  const infra = process.env.TEST_INFRA ?? 'local'
  if (infra !== 'local') {
    throw new Error(`TEST_INFRA=${infra} is not available yet; leave it unset or set it to "local"`)
  }
  const dir = `${import.meta.dirname}/../../.local/test-stacks/${process.pid}`
  const stack = await startLocalStack({ dir })
  process.env.TEST_DATABASE_URL = stack.databaseUrl
  process.env.TEST_KAFKA_BROKERS = stack.kafkaBrokers
  process.env.TEST_REGISTRY_URL = stack.schemaRegistryUrl
  process.env.TEST_REDIS_URL = stack.redisUrl
  globalThis.surehookStack = { stack, dir }
}
