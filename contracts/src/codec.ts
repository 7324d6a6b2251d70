import { setTimeout as sleep } from 'node:timers/promises'
import {
  COMPATIBILITY as compatibility,
  SchemaRegistry,
  SchemaType,
} from '@kafkajs/confluent-schema-registry'
import type avro from 'avsc'
import { type EventSchema, eventSchemas } from './event-schemas.ts'
import type {
  ChangeEvent,
  DeliveryAttempt,
  DeliveryJob,
  EnvironmentState,
  InvalidMessage,
  ManagementTokenState,
  SessionRevocation,
  SubscriptionState,
} from './events.ts'
import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  environmentsTopic,
  managementTokensTopic,
  revocationsTopic,
  subscriptionsTopic,
} from './topics.ts'
import { AvroTypeCodec, type TypeCodec, UndecodableError } from './type-codec.ts'

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
}
type EventName = keyof EventTypes
export type AnyEvent = EventTypes[EventName]

export type EventCodec = { readonly [Name in EventName]: TypeCodec<EventTypes[Name]> } & {
  /** The codec of the values on `topic`; throws for a topic that is not in the topic table. */
  ofTopic(topic: string): TypeCodec<AnyEvent>
}

const nameByTopic: ReadonlyMap<string, EventName> = new Map([
  [changesTopic, 'change'],
  [environmentsTopic, 'environment'],
  [managementTokensTopic, 'managementToken'],
  [subscriptionsTopic, 'subscription'],
  [attemptsTopic, 'attempt'],
  [revocationsTopic, 'revocation'],
])

function eventNameOf(topic: string): EventName {
  if (topic.endsWith('.invalid')) return 'invalid'
  if (topic === deliveriesTopic || topic.startsWith(`${deliveriesTopic}.`)) return 'job'
  const name = nameByTopic.get(topic)
  if (name === undefined) throw new Error(`No event is defined for the topic ${topic}`)
  return name
}

/**
 * Registers every schema and returns the codecs. Rejects when the registry is away, and when a
 * schema is not compatible with all its earlier versions in both directions (FULL_TRANSITIVE).
 */
export async function openEventCodec({
  registryUrl,
  log,
}: {
  registryUrl: string
  log?: { info(fields: object, message: string): void } | undefined
}): Promise<EventCodec> {
  const client = new SchemaRegistry({ host: registryUrl, clientId: 'surehook' })
  const writerOf = (id: number) => writerSchema(client, id)
  const ids: Partial<Record<EventName, number>> = {}
  const codecOf = async <T>(name: EventName): Promise<TypeCodec<T>> => {
    const { id } = await registerSchema({ url: registryUrl, client }, eventSchemas[name])
    ids[name] = id
    return new AvroTypeCodec<T>(eventSchemas[name].type, id, writerOf)
  }
  // One after the other and always in the order of `eventSchemas`: see there.
  const codecs: { readonly [Name in EventName]: TypeCodec<EventTypes[Name]> } = {
    change: await codecOf('change'),
    environment: await codecOf('environment'),
    managementToken: await codecOf('managementToken'),
    subscription: await codecOf('subscription'),
    job: await codecOf('job'),
    attempt: await codecOf('attempt'),
    invalid: await codecOf('invalid'),
    revocation: await codecOf('revocation'),
  }
  log?.info({ ids }, 'schemas.registered')
  return { ...codecs, ofTopic: (topic) => codecs[eventNameOf(topic)] }
}

/** The client does not tell the URL that it was given. */
export type RegistryAccess = { url: string; client: Pick<SchemaRegistry, 'register'> }

const raceTries = 6
const configTimeoutMs = 5_000

/** Registers one schema under FULL_TRANSITIVE, whatever the registry's own default is. */
export async function registerSchema(
  registry: RegistryAccess,
  { subject, json }: Pick<EventSchema, 'subject' | 'json'>,
): Promise<{ id: number }> {
  for (let tries = 1; ; tries++) {
    try {
      await demandCompatibility(registry.url, subject)
      return await registry.client.register(
        { type: SchemaType.AVRO, schema: JSON.stringify(json) },
        // The client's default is BACKWARD: it has to be said on every call.
        { subject, compatibility: compatibility.FULL_TRANSITIVE },
      )
    } catch (err) {
      const reason = reasonOf(err)
      // Services that start together bring a new subject at the same moment: one of them makes it.
      if (tries === raceTries || !/already exists/.test(reason)) {
        throw new Error(`The schema of ${subject} was not accepted: ${reason}`, { cause: err })
      }
      await sleep(tries * 50)
    }
  }
}

/** What `fetch` says itself is only that it failed. */
function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  return err.cause instanceof Error ? err.cause.message : err.message
}

/**
 * Before the first version of a subject, so that no version is ever taken unchecked. The client does
 * it after the first one: a process killed in between would leave a subject that it then refuses.
 */
async function demandCompatibility(registryUrl: string, subject: string): Promise<void> {
  const url = `${registryUrl}/config/${encodeURIComponent(subject)}`
  const signal = AbortSignal.timeout(configTimeoutMs)
  const found = await fetch(url, { signal })
  if (!found.ok && found.status !== 404) throw new Error(`${found.status} ${await found.text()}`)
  const { compatibilityLevel } = (await found.json()) as { compatibilityLevel?: string }
  if (compatibilityLevel === compatibility.FULL_TRANSITIVE) return
  const set = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ compatibility: compatibility.FULL_TRANSITIVE }),
    signal,
  })
  if (!set.ok) throw new Error(`${set.status} ${await set.text()}`)
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
