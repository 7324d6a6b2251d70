import { createHash, randomBytes } from 'node:crypto'
import type { SecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import { databaseServices, type ServiceName } from '@surehook/scripts/system/service-catalog'
import { roleOf } from '@surehook/service-kit/postgres/service-role'

const secret = () => randomBytes(24).toString('hex')
const key = () => randomBytes(32).toString('base64')

/** Every secret of an installation, before or after the rotation. */
export type Secrets = {
  encryptionKey: string
  adminToken: string
  serviceToken: string
  kafka: (user: ServiceName) => { mechanism: string; password: string }
  redis: (user: ServiceName) => string
  /** The role with which a service logs in, and its password. */
  database: (service: ServiceName) => { role: string; password: string } | null
}

export function oldSecrets(stack: SecuredStack): Secrets {
  const { kafka, redis } = stack.credentials
  return {
    encryptionKey: key(),
    adminToken: secret(),
    serviceToken: secret(),
    kafka: (user) => ({
      mechanism: 'scram-sha-512',
      password: user === 'gateway' ? '' : kafka[user],
    }),
    redis: (user) => (user === 'auth-service' || user === 'webhook-dispatcher' ? redis[user] : ''),
    // The role that `prepare database` has made.
    database: () => null,
  }
}

export function newSecrets(): Secrets {
  const passwords = new Map<string, string>()
  const passwordOf = (what: string) => {
    const known = passwords.get(what) ?? secret()
    passwords.set(what, known)
    return known
  }
  return {
    encryptionKey: key(),
    adminToken: secret(),
    serviceToken: secret(),
    // A SCRAM user has a password per mechanism, so the old and the new one can coexist.
    kafka: (user) => ({ mechanism: 'scram-sha-256', password: passwordOf(`kafka/${user}`) }),
    redis: (user) => passwordOf(`redis/${user}`),
    database: (service) => ({
      role: `${roleOf(service)}_2`,
      password: passwordOf(`database/${service}`),
    }),
  }
}

/**
 * The secrets of a service: it encrypts and authenticates with `shown`, and also accepts `other`.
 */
export type Phase = { shown: Secrets; other: Secrets | null; connections: Secrets }

export function variablesIn(phase: Phase, service: ServiceName, stack: SecuredStack) {
  const { shown, other, connections } = phase
  const both = (pick: (secrets: Secrets) => string) =>
    [shown, other].flatMap((secrets) => (secrets === null ? [] : [pick(secrets)])).join(',')
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const redisUrl = `rediss://${service}:${connections.redis(service)}@${new URL(stack.endpoints.redisUrl).host}`
  const { mechanism, password } = connections.kafka(service)
  const all: Record<string, string> = {
    ...stack.variablesOf(service),
    KEY_ENCRYPTION_KEY: shown.encryptionKey,
    KEY_ENCRYPTION_KEY_PREVIOUS: other?.encryptionKey ?? '',
    SERVICE_TOKEN: both(({ serviceToken }) => serviceToken),
    PLATFORM_ADMIN_TOKEN: both(({ adminToken }) => adminToken),
    PLATFORM_ADMIN_TOKEN_SHA256: both(({ adminToken }) => sha256(adminToken)),
    REDIS_URL: redisUrl,
    ...(service !== 'gateway' && {
      KAFKA_SASL_MECHANISM: mechanism,
      KAFKA_SASL_PASSWORD: password,
    }),
    ...databaseIn(connections, service, stack),
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => isFor(service, name)))
}

function databaseIn({ database }: Secrets, service: ServiceName, stack: SecuredStack) {
  const login = database(service)
  if (login === null) return {}
  const url = new URL(stack.endpoints.databaseUrl)
  url.username = login.role
  url.password = login.password
  return { DATABASE_URL: url.href }
}

const encrypting: readonly ServiceName[] = [
  'auth-service',
  'postgres-source',
  'webhook-api',
  'webhook-dispatcher',
]

const readers: Readonly<Record<string, readonly ServiceName[]>> = {
  KEY_ENCRYPTION_KEY: encrypting,
  KEY_ENCRYPTION_KEY_PREVIOUS: encrypting,
  SERVICE_TOKEN: ['auth-service', 'data-api', 'webhook-api'],
  PLATFORM_ADMIN_TOKEN: ['auth-service'],
  PLATFORM_ADMIN_TOKEN_SHA256: ['webhook-api'],
  REDIS_URL: ['auth-service', 'webhook-dispatcher'],
  DATABASE_URL: databaseServices,
}

const isFor = (service: ServiceName, name: string) => readers[name]?.includes(service) ?? true
