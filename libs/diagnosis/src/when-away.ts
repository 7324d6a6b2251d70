/** The advice for a dependency that does not answer. */
export const whenAway = {
  postgresql: 'Bring PostgreSQL back, or mend DATABASE_URL.',
  kafka: 'Bring Kafka back, or mend KAFKA_BROKERS and its credentials.',
  registry: 'Bring the schema registry back, or mend SCHEMA_REGISTRY_URL.',
  redis: 'Bring Redis back, or mend REDIS_URL: until then logins are answered 503.',
} as const
