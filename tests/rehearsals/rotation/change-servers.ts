import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { createKafka } from '@surehook/kafka/client/client'
import { cacheDir } from '@surehook/scripts/lib/paths'
import type { SecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import { databaseServices, type ServiceName } from '@surehook/scripts/system/service-catalog'
import { roleOf, schemaOf } from '@surehook/service-kit/postgres/service-role'
import { openRedis } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import type { Secrets } from './secret-phases.ts'

type Both = { before: Secrets; after: Secrets }

const redisServices: readonly ServiceName[] = ['auth-service', 'webhook-dispatcher']
const kafkaServices: readonly ServiceName[] = [
  ...databaseServices,
  'webhook-matcher',
  'webhook-dispatcher',
]

/** Connects as the operator, who may manage topics. */
export function operatorKafka(stack: SecuredStack) {
  const { ca, kafka } = stack.credentials
  const log = createLogger('rehearsal', 'silent')
  const sasl = {
    mechanism: 'scram-sha-512',
    username: 'operator',
    password: kafka.operator,
  } as const
  return {
    kafka: createKafka({
      brokers: [stack.endpoints.kafkaBrokers],
      clientId: 'rehearsal',
      security: { ssl: { ca }, sasl },
      log,
    }),
    delayNames: ['1s', '5s', '30s', '5m', '30m', '2h', '8h'],
    mainPartitions: 4,
    replicationFactor: 1,
    log,
    signal: AbortSignal.timeout(60_000),
  }
}

/** Makes each server accept the new password in addition to the old one. */
export async function changeServers(stack: SecuredStack, { after }: Both): Promise<void> {
  for (const service of kafkaServices) {
    const { password } = after.kafka(service)
    await kafkaConfigs(stack, ['--add-config', `SCRAM-SHA-256=[password=${password}]`], service)
  }
  for (const service of redisServices) {
    await redisAcl(stack, service, `>${after.redis(service)}`)
  }
  for (const service of databaseServices) {
    const login = after.database(service)
    if (login === null) continue
    const names = [login.role, roleOf(service), schemaOf(service), databaseOf(stack)]
    const [role, owner, schema, database] = names.map(escapeIdentifier)
    await sql(stack, [
      `create role ${role} login replication password ${escapeLiteral(login.password)} in role ${owner}`,
      `alter role ${role} set role = ${owner}`,
      // Settings belong to the role that logs in, not to the role it then assumes.
      `alter role ${role} in database ${database} set search_path = ${schema}`,
    ])
  }
}

/** Makes the servers refuse the old passwords. */
export async function endOldSecrets(stack: SecuredStack, { before }: Both): Promise<void> {
  for (const service of kafkaServices) {
    await kafkaConfigs(stack, ['--delete-config', 'SCRAM-SHA-512'], service)
  }
  for (const service of redisServices) {
    await redisAcl(stack, service, `<${before.redis(service)}`)
  }
  await sql(
    stack,
    databaseServices.map((service) => `alter role ${escapeIdentifier(roleOf(service))} nologin`),
  )
}

const databaseOf = (stack: SecuredStack) => new URL(stack.endpoints.databaseUrl).pathname.slice(1)

async function sql(stack: SecuredStack, statements: readonly string[]): Promise<void> {
  const admin = new Client({ connectionString: stack.endpoints.databaseUrl })
  await admin.connect()
  try {
    for (const statement of statements) await admin.query(statement)
  } finally {
    await admin.end()
  }
}

async function redisAcl(stack: SecuredStack, user: ServiceName, rule: string): Promise<void> {
  const { ca, redis } = stack.credentials
  const url = stack.endpoints.redisUrl.replace('://', `://admin:${redis.admin}@`)
  const admin = await openRedis({ url, ca, log: createLogger('rehearsal', 'silent') })
  await admin.aclSetUser(user, rule)
  admin.destroy()
}

/** Runs `kafka-configs.sh` from the broker's jars. */
async function kafkaConfigs(
  stack: SecuredStack,
  change: readonly string[],
  user: ServiceName,
): Promise<void> {
  const { caFile, kafka } = stack.credentials
  const properties = `${caFile}.admin.properties`
  const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required'
  await writeFile(
    properties,
    [
      'security.protocol=SASL_SSL',
      'sasl.mechanism=SCRAM-SHA-512',
      `sasl.jaas.config=${login} username="admin" password="${kafka.admin}";`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${caFile}`,
      '',
    ].join('\n'),
    { mode: 0o600 },
  )
  const libs = (await readdir(cacheDir)).find((name) => /^kafka-[0-9a-f]{12}$/.test(name))
  const tool = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${cacheDir}/${libs}/*`]
  const server = [
    '--bootstrap-server',
    stack.endpoints.kafkaBrokers,
    '--command-config',
    properties,
  ]
  const on = ['--alter', '--entity-type', 'users', '--entity-name', user]
  const main = 'kafka.admin.ConfigCommand'
  await promisify(execFile)('java', [...tool, main, ...server, ...on, ...change])
}
