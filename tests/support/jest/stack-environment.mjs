import CountedEnvironment from './counted-environment.mjs'

/**
 * Each Jest worker has its own stack, because consumer groups, topics and roles have fixed names.
 */
export default class StackEnvironment extends CountedEnvironment {
  constructor(config, context) {
    useStackOfWorker(process.env)
    // The system of these tests: all services in one process, or each in its own.
    process.env.TEST_SYSTEM_MODE = config.projectConfig.testEnvironmentOptions.systemMode ?? ''
    super(config, context)
  }
}

/** Processes that tests start inherit these variables. */
function useStackOfWorker(env) {
  if (env.TEST_STACKS === undefined) return
  const stack = JSON.parse(env.TEST_STACKS)[Number(env.JEST_WORKER_ID) - 1]
  env.TEST_DATABASE_URL = stack.databaseUrl
  env.TEST_KAFKA_BROKERS = stack.kafkaBrokers
  env.TEST_REGISTRY_URL = stack.schemaRegistryUrl
  env.TEST_REDIS_URL = stack.redisUrl
}
