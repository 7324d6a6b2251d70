import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { ConnectionOptions } from 'node:tls'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import type * as z from 'zod'
import { reasonOf } from '../errors.ts'
import { configurationError, type kafkaEnv, type postgresEnv, type redisEnv } from './config.ts'
import { retryTopicNames } from './retry-ladder.ts'

type Read<Fragment extends z.ZodRawShape> = z.infer<z.ZodObject<Fragment>>

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
export function kafkaConnection(read: Read<typeof kafkaEnv>, name: string): KafkaConnection {
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
export function messagingConfig(read: Read<typeof kafkaEnv>, name: string) {
  return {
    kafka: kafkaConnection(read, name),
    registryUrl: read.SCHEMA_REGISTRY_URL,
    registrySecurity: registrySecurity(read),
    delayNames: retryTopicNames(read),
  }
}

type KafkaVariables = Omit<Read<typeof kafkaEnv>, 'SCHEMA_REGISTRY_URL'>

export function kafkaSecurity(read: KafkaVariables): KafkaSecurity {
  const needTls = ['KAFKA_CA_FILE', 'KAFKA_CERT_FILE', 'KAFKA_KEY_FILE'] as const
  demand([
    ...needTls
      .filter((name) => read[name] !== undefined && !read.KAFKA_TLS)
      .map((name) => `${name}: is of use with KAFKA_TLS=true only`),
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

function kafkaTls(read: KafkaVariables): ConnectionOptions {
  const { KAFKA_CA_FILE: ca, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key } = read
  return {
    ...(ca && { ca: pem('KAFKA_CA_FILE', ca) }),
    ...(cert && { cert: pem('KAFKA_CERT_FILE', cert) }),
    ...(key && { key: pem('KAFKA_KEY_FILE', key) }),
  }
}

export function registrySecurity(read: Read<typeof kafkaEnv>): RegistrySecurity {
  const url = new URL(read.SCHEMA_REGISTRY_URL)
  const named = url.username !== '' || url.password !== ''
  const ca = read.SCHEMA_REGISTRY_CA_FILE
  demand([
    ...(named ? ['SCHEMA_REGISTRY_URL: the user belongs into SCHEMA_REGISTRY_USERNAME'] : []),
    ...(ca && url.protocol !== 'https:'
      ? ['SCHEMA_REGISTRY_CA_FILE: is of use with an https SCHEMA_REGISTRY_URL only']
      : []),
    ...together(read, ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD']),
  ])
  const { SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD: password } = read
  return {
    ...(ca && { ca: pem('SCHEMA_REGISTRY_CA_FILE', ca) }),
    ...(username && password && { auth: { username, password } }),
  }
}

/**
 * URL that verifies the server on every connection if a CA is configured: the CA must have signed
 * the certificate, and the certificate must name the host. Each connection reads the file again.
 */
export function databaseConnection(read: Read<typeof postgresEnv>): string {
  const { DATABASE_URL: text, DATABASE_CA_FILE: ca } = read
  if (ca === undefined) return text
  const url = new URL(text)
  const mode = url.searchParams.get('sslmode') ?? 'verify-full'
  demand([
    ...(mode === 'verify-full'
      ? []
      : [`DATABASE_CA_FILE: DATABASE_URL must not say sslmode=${mode}`]),
    // Node would compare the certificate with "localhost" instead of an IP address.
    ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
      ? []
      : ['DATABASE_CA_FILE: DATABASE_URL must name its host, an address cannot be verified']),
  ])
  pem('DATABASE_CA_FILE', ca)
  url.searchParams.set('sslmode', 'verify-full')
  url.searchParams.set('sslrootcert', ca)
  return url.href
}

export type RedisConnection = { url: string; ca?: string }

export function redisConnection(read: Read<typeof redisEnv>): RedisConnection {
  const { REDIS_URL: url, REDIS_CA_FILE: ca } = read
  if (ca === undefined) return { url }
  demand(
    url.startsWith('rediss:') ? [] : ['REDIS_CA_FILE: is of use with a rediss:// REDIS_URL only'],
  )
  return { url, ca: pem('REDIS_CA_FILE', ca) }
}

/** `null` for a service that runs without Redis. */
export function optionalRedis({
  REDIS_URL,
  REDIS_CA_FILE,
}: {
  REDIS_URL?: string | undefined
  REDIS_CA_FILE?: string | undefined
}): RedisConnection | null {
  return REDIS_URL === undefined ? null : redisConnection({ REDIS_URL, REDIS_CA_FILE })
}

/** Returns a fault for each missing variable, unless all or none are set. */
function together(read: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const given = names.filter((name) => read[name] !== undefined)
  if (given.length === 0) return []
  return names
    .filter((name) => read[name] === undefined)
    .map((name) => `${name}: is not set, and ${given.join(' and ')} ${given[1] ? 'are' : 'is'}`)
}

function demand(faults: readonly string[]): void {
  if (faults.length > 0) throw configurationError(faults)
}

function pem(variable: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (err) {
    throw configurationError([`${variable}: ${reasonOf(err)}`])
  }
  if (!text.includes('-----BEGIN ')) throw configurationError([`${variable}: ${file} is not PEM`])
  return text
}
