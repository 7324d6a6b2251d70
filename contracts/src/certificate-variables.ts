/** Variables with certificate files, by their label in the metric of certificates. */
export const certificateVariables = {
  kafka_ca: 'KAFKA_CA_FILE',
  kafka_client: 'KAFKA_CERT_FILE',
  schema_registry_ca: 'SCHEMA_REGISTRY_CA_FILE',
  database_ca: 'DATABASE_CA_FILE',
  redis_ca: 'REDIS_CA_FILE',
  receivers_ca: 'WEBHOOK_EXTRA_CA_FILE',
} as const
