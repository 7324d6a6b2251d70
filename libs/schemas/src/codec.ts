import { setTimeout as sleep } from 'node:timers/promises'
import {
  COMPATIBILITY as compatibility,
  type SchemaRegistry,
  SchemaType,
} from '@kafkajs/confluent-schema-registry'
import type {
  ChangeEvent,
  DeliveryAttempt,
  DeliveryJob,
  EnvironmentPurge,
  EnvironmentState,
  InvalidMessage,
  ManagementTokenState,
  SourceColumnsState,
  SubscriptionState,
  TableState,
} from '@surehook/contracts/events'
import type { SessionRevocation } from '@surehook/contracts/events/session-revocation'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import {
  alertsTopic,
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  environmentPurgesTopic,
  environmentsTopic,
  managementTokensTopic,
  revocationsTopic,
  sourceColumnsTopic,
  subscriptionsTopic,
  tablesTopic,
} from '@surehook/contracts/topics'
import type avro from 'avsc'
import {
  type DeliveryJobHead,
  type EventSchema,
  eventSchemas,
  jobHeadType,
} from './event-schemas.ts'
import {
  askRegistry,
  type RegistryConnection,
  type RegistrySecurity,
  registryClient,
} from './registry-client.ts'
import { AvroTypeCodec, type TypeCodec, UndecodableError } from './type-codec.ts'

export type { DeliveryJobHead } from './event-schemas.ts'
export { type TypeCodec, UndecodableError } from './type-codec.ts'

export type EventTypes = {
  change: ChangeEvent
  environment: EnvironmentState
  managementToken: ManagementTokenState
  subscription: SubscriptionState
  job: DeliveryJob
  attempt: DeliveryAttempt
  invalid: InvalidMessage
  revocation: SessionRevocation
  table: TableState
  environmentPurge: EnvironmentPurge
  alert: WebhookAlert
  sourceColumns: SourceColumnsState
}
type EventName = keyof EventTypes
export type AnyEvent = EventTypes[EventName]

export type EventCodec = { readonly [Name in EventName]: TypeCodec<EventTypes[Name]> } & {
  /** Decodes only the head of a job, which is faster than decoding the job. */
  readonly jobHead: Pick<TypeCodec<DeliveryJobHead>, 'decode'>
  /** Returns the codec of the values on `topic`. Throws for a topic outside the topic table. */
  ofTopic(topic: string): TypeCodec<AnyEvent>
}

const nameByTopic: ReadonlyMap<string, EventName> = new Map([
  [changesTopic, 'change'],
  [environmentsTopic, 'environment'],
  [managementTokensTopic, 'managementToken'],
  [subscriptionsTopic, 'subscription'],
  [attemptsTopic, 'attempt'],
  [revocationsTopic, 'revocation'],
  [tablesTopic, 'table'],
  [environmentPurgesTopic, 'environmentPurge'],
  [alertsTopic, 'alert'],
  [sourceColumnsTopic, 'sourceColumns'],
])

function eventNameOf(topic: string): EventName {
  if (topic.endsWith('.invalid')) return 'invalid'
  if (topic === deliveriesTopic || topic.startsWith(`${deliveriesTopic}.`)) return 'job'
  const name = nameByTopic.get(topic)
  if (name === undefined) throw new Error(`No event is defined for the topic ${topic}`)
  return name
}

/**
 * Registers every schema and returns the codecs. Rejects when the registry is unreachable, and when
 * a schema is not compatible with all its earlier versions in both directions (FULL_TRANSITIVE).
 */
export async function openEventCodec({
  registryUrl: url,
  registrySecurity: security,
  log,
}: {
  registryUrl: string
  registrySecurity?: RegistrySecurity | undefined
  log?: { info(fields: object, message: string): void } | undefined
}): Promise<EventCodec> {
  const client = registryClient({ url, security })
  const writerOf = (id: number) => writerSchema(client, id)
  const ids: Partial<Record<EventName, number>> = {}
  const codecOf = async <T>(name: EventName): Promise<TypeCodec<T>> => {
    const { id } = await registerSchema({ url, security, client }, eventSchemas[name])
    ids[name] = id
    return new AvroTypeCodec<T>(eventSchemas[name].type, id, writerOf)
  }
  // Registers sequentially in the order of `eventSchemas`, which documents why.
  const codecs: { readonly [Name in EventName]: TypeCodec<EventTypes[Name]> } = {
    change: await codecOf('change'),
    environment: await codecOf('environment'),
    managementToken: await codecOf('managementToken'),
    subscription: await codecOf('subscription'),
    job: await codecOf('job'),
    attempt: await codecOf('attempt'),
    invalid: await codecOf('invalid'),
    revocation: await codecOf('revocation'),
    table: await codecOf('table'),
    environmentPurge: await codecOf('environmentPurge'),
    alert: await codecOf('alert'),
    sourceColumns: await codecOf('sourceColumns'),
  }
  log?.info({ ids }, 'schemas.registered')
  const jobHead = new AvroTypeCodec<DeliveryJobHead>(jobHeadType, noSchema, writerOf)
  return { ...codecs, jobHead, ofTopic: (topic) => codecs[eventNameOf(topic)] }
}

/**
 * This type is never written, so no schema id matches it and every value is resolved from its
 * writer's schema.
 */
const noSchema = -1

export type RegistryAccess = RegistryConnection & { client: Pick<SchemaRegistry, 'register'> }

const raceTries = 6

/** Registers one schema under FULL_TRANSITIVE, independent of the registry's default. */
export async function registerSchema(
  registry: RegistryAccess,
  { subject, json }: Pick<EventSchema, 'subject' | 'json'>,
): Promise<{ id: number }> {
  for (let tries = 1; ; tries++) {
    try {
      await setCompatibility(registry, subject)
      return await registry.client.register(
        { type: SchemaType.AVRO, schema: JSON.stringify(json) },
        // The client's default is BACKWARD, so every call must pass the compatibility.
        { subject, compatibility: compatibility.FULL_TRANSITIVE },
      )
    } catch (err) {
      const reason = reasonOf(err)
      // Services that start together may register a new subject at the same moment. Only one of
      // them creates it.
      if (tries === raceTries || !/already exists/.test(reason)) {
        throw new Error(`The schema of ${subject} was not accepted: ${reason}`, { cause: err })
      }
      await sleep(tries * 50)
    }
  }
}

/** `fetch` itself reports only "fetch failed". Its cause has the reason. */
function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  return err.cause instanceof Error ? err.cause.message : err.message
}

/**
 * Sets the compatibility before the first version of a subject, so that no version is accepted
 * unchecked. The client sets it after the first version. If the process dies in between, the client
 * refuses that subject from then on.
 */
async function setCompatibility(registry: RegistryConnection, subject: string): Promise<void> {
  const path = `/config/${encodeURIComponent(subject)}`
  const found = await askRegistry(registry, { path })
  if (found.status !== 200 && found.status !== 404) throw new Error(`${found.status} ${found.text}`)
  const { compatibilityLevel } = JSON.parse(found.text) as { compatibilityLevel?: string }
  if (compatibilityLevel === compatibility.FULL_TRANSITIVE) return
  const body = { compatibility: compatibility.FULL_TRANSITIVE }
  const set = await askRegistry(registry, { path, body })
  if (set.status !== 200) throw new Error(`${set.status} ${set.text}`)
}

async function writerSchema(registry: SchemaRegistry, id: number): Promise<avro.Type> {
  try {
    return (await registry.getSchema(id)) as unknown as avro.Type
  } catch (err) {
    if (err instanceof Error && 'status' in err && err.status === 404) {
      throw new UndecodableError(`No schema has the id ${id}`, { cause: err })
    }
    throw err
  }
}
