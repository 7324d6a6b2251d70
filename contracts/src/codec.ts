import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import type avro from 'avsc'
import { type EventSchema, eventSchemas } from './event-schemas.ts'
import type {
  ChangeEvent,
  DeliveryAttempt,
  DeliveryJob,
  EnvironmentState,
  InvalidMessage,
  ManagementTokenState,
  SubscriptionState,
} from './events.ts'
import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  environmentsTopic,
  managementTokensTopic,
  subscriptionsTopic,
} from './topics.ts'
import { AvroTypeCodec, type TypeCodec, UndecodableError } from './type-codec.ts'

export { type TypeCodec, UndecodableError } from './type-codec.ts'

type EventTypes = {
  change: ChangeEvent
  environment: EnvironmentState
  managementToken: ManagementTokenState
  subscription: SubscriptionState
  job: DeliveryJob
  attempt: DeliveryAttempt
  invalid: InvalidMessage
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
  const registry = new SchemaRegistry({ host: registryUrl, clientId: 'surehook' })
  const writerOf = (id: number) => writerSchema(registry, id)
  const ids: Partial<Record<EventName, number>> = {}
  const codecOf = async <T>(name: EventName): Promise<TypeCodec<T>> => {
    const { id } = await registerSchema(registry, eventSchemas[name])
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
  }
  log?.info({ ids }, 'schemas.registered')
  return { ...codecs, ofTopic: (topic) => codecs[eventNameOf(topic)] }
}

/** Registers one schema under FULL_TRANSITIVE, whatever the registry's own default is. */
export async function registerSchema(
  registry: SchemaRegistry,
  { subject, json }: Pick<EventSchema, 'subject' | 'json'>,
): Promise<{ id: number }> {
  try {
    return await registry.register(
      { type: SchemaType.AVRO, schema: JSON.stringify(json) },
      // The client's default is BACKWARD: it has to be said on every call.
      { subject, compatibility: COMPATIBILITY.FULL_TRANSITIVE },
    )
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err)
    throw new Error(`The schema of ${subject} was not accepted: ${reason}`, { cause: err })
  }
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
