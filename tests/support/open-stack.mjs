import { chooseInfra } from '../../scripts/src/containers/choose-infra.ts'
import { startStack } from '../../scripts/src/containers/start-stack.ts'

const given = 'TEST_DATABASE_URL'

/** Jest's global set-up: a stack of this run's own, unless the environment names one. */
export default async function openStack() {
  // Once for the run: tests with a stack of their own make it in the same way.
  process.env.TEST_INFRA = await chooseInfra(process.env)
  if (process.env[given] !== undefined) return
  const dir = `${import.meta.dirname}/../../.local/test-stacks/${process.pid}`
  const stack = await startStack({ dir })
  process.env.TEST_DATABASE_URL = stack.databaseUrl
  process.env.TEST_KAFKA_BROKERS = stack.kafkaBrokers
  process.env.TEST_REGISTRY_URL = stack.schemaRegistryUrl
  process.env.TEST_REDIS_URL = stack.redisUrl
  globalThis.surehookStack = { stack, dir }
}
