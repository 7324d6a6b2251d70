import type { Endpoints } from '@surehook/scripts/lib/endpoints'

/** The stack that was given to the test run, or started by it. */
export function testEndpoints(): Endpoints {
  return {
    databaseUrl: variable('TEST_DATABASE_URL'),
    kafkaBrokers: variable('TEST_KAFKA_BROKERS'),
    schemaRegistryUrl: variable('TEST_REGISTRY_URL'),
    redisUrl: variable('TEST_REDIS_URL'),
  }
}

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run this through Jest's projects`)
  return value
}
