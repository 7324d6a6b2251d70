import { readFile } from 'node:fs/promises'
import { type KafkaUser, kafkaUsers } from '@surehook/contracts/access/kafka-access'
import { infrastructureImages } from '@surehook/scripts/compose/infrastructure-images'
import { clusterId, serverProperties } from '@surehook/scripts/local-stack/kafka'
import { asPostgresFlags, postgresSettings } from '@surehook/scripts/local-stack/postgres-settings'
import {
  type Credentials,
  makeCredentials,
} from '@surehook/scripts/local-stack/secured/credentials'
import {
  scramArguments,
  securedProperties,
} from '@surehook/scripts/local-stack/secured/secured-kafka'
import { securedRedisSettings } from '@surehook/scripts/local-stack/secured/secured-redis'
import { envOf, type Manifest, namespaceOf, secret, server } from './objects.ts'

/**
 * Kafka, a registry, PostgreSQL and Redis in a cluster, with certificates and users. They have the
 * names of `values-production-example.yaml`; the two that it expects outside the cluster are in
 * `outside`.
 */
export const outside = { postgresql: 'postgresql.data.svc', redis: 'redis.data.svc' }

/** The password in the page's URLs. */
const shownPassword = 'password'

const kafkaHost = 'kafka-kafka-bootstrap.kafka.svc'
const registryHost = 'schema-registry.kafka.svc'
const kafkaPort = 9093
const redisPort = 6380

export type Servers = {
  manifests: Manifest[]
  /** The certificate authority of all servers. */
  ca: string
  /** A Job with which Kafka's administrator runs `surehook prepare kafka-access`. */
  allowUsers: (image: string) => Manifest
}

export async function serversIn(dir: string): Promise<Servers> {
  const names = [kafkaHost, registryHost, outside.postgresql, outside.redis]
  const made = await makeCredentials(dir, names)
  const redis = {
    ...made.redis,
    'auth-service': shownPassword,
    'webhook-dispatcher': shownPassword,
  }
  const credentials: Credentials = { ...made, redis }
  const [kafkaImage = '', registryImage = '', postgresImage = '', redisImage = ''] =
    await infrastructureImages()
  const tls = {
    'tls.crt': await readFile(credentials.certificateFile, 'utf8'),
    'tls.key': await readFile(credentials.keyFile, 'utf8'),
    'ca.crt': credentials.ca,
  }
  const manifests = [
    namespaceOf('kafka'),
    namespaceOf('data'),
    ...(await kafka(kafkaImage, credentials)),
    ...registry(registryImage, tls),
    ...postgresql(postgresImage, tls),
    ...(await redisServer(redisImage, { dir, credentials, tls })),
    ...kafkaUsers.map((user) => userSecret(user, credentials.kafka[user])),
    secret({ namespace: 'kafka', name: 'kafka-cluster-ca-cert' }, { 'ca.crt': credentials.ca }),
  ]
  const allowUsers = (image: string) => kafkaAccess(image, credentials.kafka.admin)
  return { manifests, ca: credentials.ca, allowUsers }
}

function kafkaAccess(image: string, password: string): Manifest {
  const variables = {
    KAFKA_BROKERS: `${kafkaHost}:${kafkaPort}`,
    KAFKA_TLS: 'true',
    KAFKA_CA_FILE: '/ca/ca.crt',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'admin',
    KAFKA_SASL_PASSWORD: password,
  }
  const container = {
    name: 'kafka-access',
    image,
    args: ['prepare', 'kafka-access', '--principal', 'User:surehook-{user}'],
    env: envOf(variables),
    volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  }
  const volumes = [{ name: 'ca', secret: { secretName: 'kafka-cluster-ca-cert' } }]
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'kafka', name: 'kafka-access' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container], volumes } } },
  }
}

/** The Secret that Strimzi's User Operator makes. */
const userSecret = (user: KafkaUser, password: string) =>
  secret({ namespace: 'kafka', name: nameOf(user) }, { password })

const nameOf = (user: string) => (user === 'admin' ? user : `surehook-${user}`)

async function kafka(image: string, credentials: Credentials): Promise<Manifest[]> {
  const plain = await serverProperties(kafkaPort, '/tmp/kafka-data')
  const here = `SASL_SSL://127.0.0.1:${kafkaPort}`
  const properties = (await securedProperties(plain, credentials))
    .replace(`\nlisteners=${here}`, `\nlisteners=SASL_SSL://0.0.0.0:${kafkaPort}`)
    .replace(
      `advertised.listeners=${here}`,
      `advertised.listeners=SASL_SSL://${kafkaHost}:${kafkaPort}`,
    )
  const named = Object.entries(credentials.kafka).map(([user, password]) => [
    nameOf(user),
    password,
  ])
  const users = scramArguments({ ...credentials, kafka: Object.fromEntries(named) })
  const bin = '/opt/kafka/bin'
  const format = `${bin}/kafka-storage.sh format --ignore-formatted -t ${clusterId} -c /files/server.properties`
  const start = `exec ${bin}/kafka-server-start.sh /files/server.properties`
  return server({
    namespace: 'kafka',
    name: 'kafka',
    serviceName: 'kafka-kafka-bootstrap',
    labels: { 'strimzi.io/cluster': 'kafka' },
    image,
    port: kafkaPort,
    command: ['bash', '-c', `${format} "$@" && ${start}`, 'kafka', ...users],
    env: { KAFKA_HEAP_OPTS: '-Xms512m -Xmx512m' },
    files: { 'server.properties': properties },
  })
}

type Tls = Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string>>

const registry = (image: string, files: Tls): Manifest[] =>
  server({
    namespace: 'kafka',
    name: 'schema-registry',
    image,
    port: 8443,
    env: {
      QUARKUS_HTTP_SSL_CERTIFICATE_FILES: '/files/tls.crt',
      QUARKUS_HTTP_SSL_CERTIFICATE_KEY_FILES: '/files/tls.key',
      QUARKUS_HTTP_SSL_PORT: '8443',
    },
    files,
  })

function postgresql(image: string, files: Tls): Manifest[] {
  // PostgreSQL requires that it owns its key and that no other user can read it.
  const install =
    'install -o postgres -g postgres -m 600 /files/tls.key /var/lib/postgresql/tls.key'
  const settings = {
    ...postgresSettings,
    ssl: 'on',
    ssl_cert_file: '/files/tls.crt',
    ssl_key_file: '/var/lib/postgresql/tls.key',
  }
  return server({
    namespace: 'data',
    name: 'postgresql',
    image,
    port: 5432,
    command: ['bash', '-c', `${install} && exec docker-entrypoint.sh postgres "$@"`, 'postgres'],
    args: asPostgresFlags(settings),
    env: { POSTGRES_DB: 'surehook', POSTGRES_PASSWORD: shownPassword },
    files,
  })
}

type RedisOptions = { dir: string; credentials: Credentials; tls: Tls }

async function redisServer(image: string, options: RedisOptions): Promise<Manifest[]> {
  const { dir, credentials, tls } = options
  const settings = await securedRedisSettings(dir, {
    port: redisPort,
    credentials: {
      ...credentials,
      certificateFile: '/files/tls.crt',
      keyFile: '/files/tls.key',
      caFile: '/files/ca.crt',
    },
  })
  const all: Record<string, string | number> = { ...settings, aclfile: '/files/users.acl' }
  const flags = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)])
  return server({
    namespace: 'data',
    name: 'redis',
    image,
    port: redisPort,
    args: ['redis-server', '--save', '', '--maxmemory-policy', 'noeviction', ...flags],
    files: { ...tls, 'users.acl': await readFile(`${dir}/users.acl`, 'utf8') },
  })
}
