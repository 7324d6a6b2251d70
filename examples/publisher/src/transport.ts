import { readFile } from 'node:fs/promises'
import { Surehook } from '@surehook/client'
import { openChangePublisher } from '@surehook/publisher'
import type { Change } from './invoices.ts'

export type Publish = (changes: readonly Change[]) => Promise<unknown>

const table = 'invoices'

/** Publishes to Kafka if `KAFKA_BROKERS` is set, else over HTTP. */
export function openTransport(env: NodeJS.ProcessEnv): Publish | Promise<Publish> {
  return env['KAFKA_BROKERS'] ? overKafka(env, env['KAFKA_BROKERS']) : overHttp(env)
}

async function overKafka(env: NodeJS.ProcessEnv, brokers: string): Promise<Publish> {
  const projectId = needed(env, 'SUREHOOK_PROJECT')
  const environment = env['SUREHOOK_ENVIRONMENT'] ?? 'master'
  const publisher = await openChangePublisher({
    brokers: brokers.split(','),
    schemaRegistryUrl: needed(env, 'SCHEMA_REGISTRY_URL'),
    source: 'billing',
    ...(await credentials(env)),
  })
  return (changes) =>
    publisher.publish(
      changes.map((change) => ({
        ...change,
        projectId,
        environment,
        table,
        recordId: change.record.id,
      })),
    )
}

/** The credentials of Kafka and of its registry. That of `npm start` asks for none. */
async function credentials(env: NodeJS.ProcessEnv) {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env
  if (!username || !password) return {}
  const ca = await authority(env['KAFKA_CA_FILE'])
  const registryCa = await authority(env['SCHEMA_REGISTRY_CA_FILE'])
  const auth = {
    username: needed(env, 'SCHEMA_REGISTRY_USERNAME'),
    password: needed(env, 'SCHEMA_REGISTRY_PASSWORD'),
  }
  return {
    kafkaSecurity: {
      ssl: ca === null ? true : { ca },
      sasl: { mechanism: 'scram-sha-512' as const, username, password },
    },
    registrySecurity: registryCa === null ? { auth } : { auth, ca: registryCa },
  }
}

/** Reads the PEM file of an authority that Node does not know. */
const authority = async (file: string | undefined) => (file ? readFile(file, 'utf8') : null)

function overHttp(env: NodeJS.ProcessEnv): Publish {
  const surehook = new Surehook({
    baseUrl: needed(env, 'SUREHOOK_URL'),
    projectId: needed(env, 'SUREHOOK_PROJECT'),
    environment: env['SUREHOOK_ENVIRONMENT'] ?? 'master',
    token: needed(env, 'SUREHOOK_TOKEN'),
  })
  return (changes) =>
    surehook.changes.publish(
      changes.map(({ operation, ...change }) => ({
        ...change,
        table,
        recordId: change.record.id,
        event: operation,
      })),
    )
}

function needed(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`Set ${name}`)
  return value
}
