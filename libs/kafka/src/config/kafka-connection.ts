import { hostname } from 'node:os'
import type { ConnectionOptions } from 'node:tls'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import { demand, readPem, together } from '@surehook/service-kit/config/faults'
import type { KafkaVariables } from './kafka-env.ts'
import { retryTopicNames } from './retry-ladder.ts'

export type KafkaSecurity = {
  ssl?: ConnectionOptions
  sasl?: {
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }
}

export type KafkaConnection = {
  brokers: readonly string[]
  clientId: string
  security: KafkaSecurity
  partitions: number
  replicationFactor: number
  /** True if this process creates missing topics. Otherwise it waits for them. */
  createTopics: boolean
}

/**
 * Settings of the Kafka connection of a process called `name`. Throws an error that names the
 * variables at fault.
 */
export function kafkaConnection(read: KafkaVariables, name: string): KafkaConnection {
  return {
    brokers: read.KAFKA_BROKERS,
    clientId: `${name}-${hostname()}-${process.pid}`,
    security: kafkaSecurity(read),
    partitions: read.KAFKA_PARTITIONS,
    replicationFactor: read.KAFKA_REPLICATION_FACTOR,
    createTopics: read.KAFKA_CREATE_TOPICS,
  }
}

/**
 * As `kafkaConnection`, with the registry and the names of the retry topics: what messaging needs.
 */
export function messagingConfig(read: KafkaVariables, name: string) {
  return {
    kafka: kafkaConnection(read, name),
    registryUrl: read.SCHEMA_REGISTRY_URL,
    registrySecurity: registrySecurity(read),
    delayNames: retryTopicNames(read),
  }
}

type BrokerVariables = Omit<KafkaVariables, 'SCHEMA_REGISTRY_URL'>

export function kafkaSecurity(read: BrokerVariables): KafkaSecurity {
  const needTls = ['KAFKA_CA_FILE', 'KAFKA_CERT_FILE', 'KAFKA_KEY_FILE'] as const
  demand([
    ...needTls
      .filter((name) => read[name] !== undefined && !read.KAFKA_TLS)
      .map((name) => `${name}: requires KAFKA_TLS=true`),
    ...together(read, ['KAFKA_CERT_FILE', 'KAFKA_KEY_FILE']),
    ...together(read, ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']),
  ])
  const { KAFKA_SASL_MECHANISM: mechanism } = read
  const username = read.KAFKA_SASL_USERNAME ?? ''
  const password = read.KAFKA_SASL_PASSWORD ?? ''
  return {
    ...(read.KAFKA_TLS && { ssl: kafkaTls(read) }),
    ...(mechanism && { sasl: { mechanism, username, password } }),
  }
}

function kafkaTls(read: BrokerVariables): ConnectionOptions {
  const { KAFKA_CA_FILE: ca, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key } = read
  return {
    ...(ca && { ca: readPem('KAFKA_CA_FILE', ca) }),
    ...(cert && { cert: readPem('KAFKA_CERT_FILE', cert) }),
    ...(key && { key: readPem('KAFKA_KEY_FILE', key) }),
  }
}

export function registrySecurity(read: KafkaVariables): RegistrySecurity {
  const url = new URL(read.SCHEMA_REGISTRY_URL)
  const named = url.username !== '' || url.password !== ''
  const ca = read.SCHEMA_REGISTRY_CA_FILE
  demand([
    ...(named ? ['SCHEMA_REGISTRY_URL: the user belongs into SCHEMA_REGISTRY_USERNAME'] : []),
    ...(ca && url.protocol !== 'https:'
      ? ['SCHEMA_REGISTRY_CA_FILE: requires an https SCHEMA_REGISTRY_URL']
      : []),
    ...together(read, ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD']),
  ])
  const { SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD: password } = read
  return {
    ...(ca && { ca: readPem('SCHEMA_REGISTRY_CA_FILE', ca) }),
    ...(username && password && { auth: { username, password } }),
  }
}
