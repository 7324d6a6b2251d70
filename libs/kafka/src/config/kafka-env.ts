import { commaList, namedDuration, trueOrFalse } from '@surehook/service-kit/config/config'
import { parseDuration } from '@surehook/service-kit/time'
import * as z from 'zod'

const broker = z.string().regex(/^[^:\s]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i, 'must be host:port')

const retryDelays = commaList.pipe(
  z
    .array(
      // With the text, because topic names contain it.
      namedDuration.refine(({ ms }) => ms >= 10 && ms <= parseDuration('7d'), 'must be 10ms to 7d'),
    )
    .min(1)
    .max(20),
)

/**
 * Security of the connections to Kafka and the registry. `kafka-connection.ts` checks the
 * combinations.
 */
const kafkaSecurityEnv = {
  KAFKA_TLS: trueOrFalse(false),
  KAFKA_CA_FILE: z.string().optional(),
  KAFKA_CERT_FILE: z.string().optional(),
  KAFKA_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  SCHEMA_REGISTRY_CA_FILE: z.string().optional(),
  SCHEMA_REGISTRY_USERNAME: z.string().optional(),
  SCHEMA_REGISTRY_PASSWORD: z.string().optional(),
}

/** Every service that uses Kafka reads them: each of them can create the topics. */
export const kafkaEnv = {
  KAFKA_BROKERS: commaList.pipe(z.array(broker).min(1)),
  SCHEMA_REGISTRY_URL: z.url({ protocol: /^https?$/ }),
  ...kafkaSecurityEnv,
  /** `false` where an operator creates the topics and this service may not. */
  KAFKA_CREATE_TOPICS: trueOrFalse(true),
  KAFKA_PARTITIONS: z.coerce.number().int().min(1).max(10_000).default(8),
  KAFKA_REPLICATION_FACTOR: z.coerce.number().int().min(1).max(100).default(1),
  WEBHOOK_RETRY_DELAYS: retryDelays.prefault('1s,5s,30s,5m'),
  WEBHOOK_RETRY_LADDER: retryDelays.optional(),
}

export type KafkaVariables = z.infer<z.ZodObject<typeof kafkaEnv>>
