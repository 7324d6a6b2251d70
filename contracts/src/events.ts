export * from './events/platform-events.ts'

/**
 * TypeScript types of the values on the topics. The Avro schemas in `events/*.avsc` are the
 * contract. A test round-trips every type through its schema. Times named `…At` in jobs and
 * attempts are epoch milliseconds. All other times are ISO 8601 strings.
 */

export const changeOperations = ['INSERT', 'UPDATE', 'DELETE'] as const
export type ChangeOperation = (typeof changeOperations)[number]

/** Topic `changes`: one record changed. */
export type ChangeEvent = {
  /** Made with the change itself, so that every relay of the event has the same id. */
  id: string
  /** ISO 8601, UTC, when the change was made. */
  timestamp: string
  projectId: string
  environment: string
  table: string
  recordId: string
  operation: ChangeOperation
  /**
   * Full record as JSON text, passed on without parsing. For DELETE: the record just before it was
   * deleted.
   */
  record: string
  /** Fields that the client changed. Only for UPDATE. */
  changedFields: string[]
  /** The service that published it. */
  source: string
  requestId: string | null
  /** W3C Trace Context `traceparent` of the request that made the change. */
  traceparent: string | null
  /**
   * JSON of the values before an UPDATE, of the fields that read rules of the table test, if one of
   * them changed. Only streams read it, to tell which users could see the record before. It reaches
   * nobody.
   */
  previous?: string | null
}

/** A signing secret, encrypted under `KEY_ENCRYPTION_KEY` and bound to its subscription id. */
export type SealedSecret = {
  ciphertext: string
  /** `null` for the current secret; ISO 8601 end of the overlap for a replaced one. */
  validUntil: string | null
}

/** The subscriber's own headers, encrypted and bound to the subscription like its secret. */
export type SealedHeaders = {
  /** Header names, sorted. */
  names: string[]
  ciphertext: string
}

/** The way in which the deliveries of a subscription are sent. Unset keys have their defaults. */
export type DeliveryPolicy = {
  /** Sent with each attempt; `null` for none. */
  headers: SealedHeaders | null
  /** The `Retry-After` of a 429 or 503 counts. */
  retryAfter: boolean
  /** The effect of a 410 besides the failure; `null`: none. */
  gone: 'deactivate' | null
  /**
   * The delays before the second and each further attempt, as names of the ladder. `null`: the
   * installation's.
   */
  retryDelays: string[] | null
  /** Its attempts in flight at once; `null`: the installation's. */
  concurrency: number | null
  /** Its attempts that start per second; `null`: no limit. */
  perSecond: number | null
  /** The deliveries of a record leave one after another; `null`: a retry may be overtaken. */
  ordered: 'record' | null
}

export const defaultPolicy: DeliveryPolicy = {
  headers: null,
  retryAfter: false,
  gone: null,
  retryDelays: null,
  concurrency: null,
  perSecond: null,
  ordered: null,
}

/** What matching needs of a subscription from `walPosition` on. */
export type SubscriptionVersion = {
  /** In the WAL, inside the transaction that wrote the version. See ADR 6. */
  walPosition: string
  /** ISO 8601. The `createdAt` of the subscription for its first version. */
  updatedAt: string
  active: boolean
  table: string
  events: ChangeOperation[]
  filter: string | null
  select: string[] | null
}

/** Topic `webhook.subscriptions`, compacted; key: subscription id; a tombstone deletes. */
export type SubscriptionState = {
  id: string
  projectId: string
  environment: string
  table: string
  events: ChangeOperation[]
  url: string
  active: boolean
  /** JSON of the filter, or `null`. */
  filter: string | null
  select: string[] | null
  /** The current secret first. */
  secrets: SealedSecret[]
  createdAt: string
  updatedAt: string
  /** `null`: all defaults. */
  policy: DeliveryPolicy | null
  /** Cancellations by request. The dispatcher starts no further attempt of these deliveries. */
  cancellations: Cancellation[]
  /** Those that changes of the last 7 days may need, oldest first. Older services list none. */
  versions: SubscriptionVersion[]
  /** A text for people. */
  name: string | null
  /**
   * Unique in the environment. Restored from here after a loss of the database, as all of the state.
   * Empty: an older service wrote the state, and its `name` is the key.
   */
  key: string | null
  /** A text for people, of one or more lines. */
  description: string | null
}

export const cancellable = ['retrying', 'paused'] as const
export type CancellableStatus = (typeof cancellable)[number]

/** Cancels deliveries that had `status` at `askedAt` and were made until `until` (epoch ms). */
export type Cancellation = {
  status: CancellableStatus
  until: number
  askedAt: number
}

/** Topics `webhook.deliveries` and its retry, paused and dead-letter topics; key: endpoint id. */
export type DeliveryJob = {
  /**
   * UUIDv5(event id, subscription id). For a redelivery: UUIDv5(original delivery id, request id).
   */
  deliveryId: string
  /** `webhook-id` header: UUIDv5(event id, subscription id). Retries and redeliveries keep it. */
  webhookId: string
  eventId: string
  subscriptionId: string
  projectId: string
  environment: string
  table: string
  operation: ChangeOperation
  url: string
  /** Final bytes of the body: every attempt signs and sends them unchanged. */
  body: Buffer
  createdAt: number
  /** Number of the next attempt, from 1. */
  attempt: number
  /** Increases by one with each transition of the delivery. Projections ignore a lower step. */
  step: number
  /** Epoch milliseconds before which no attempt may start. 0: at once. */
  dueAt: number
  /** Offset on `webhook.deliveries`: the order of an endpoint. -1 on that topic itself. */
  arrival: number
  redeliveryOf: string | null
  traceparent: string | null
  /** The receiver's `Retry-After`; 0: none. `dueAt` is earlier between several retry topics. */
  notBefore: number
  /** The record of the change; `null`: not known. */
  recordId: string | null
  /** The intended wait until `dueAt` or `notBefore`, in ms. 0: none. */
  waitMs: number
}

export const deliveryStatuses = [
  'pending',
  'delivered',
  'retrying',
  'paused',
  'dead_letter',
  'cancelled',
] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const errorClasses = [
  'timeout',
  'dns',
  'tls',
  'refused',
  'ssrf_blocked',
  'http',
  'too_large',
] as const
export type ErrorClass = (typeof errorClasses)[number]

/**
 * Topic `webhook.attempts`, key: endpoint id. One transition of a delivery, with the result of its
 * attempt if one was made.
 */
export type DeliveryAttempt = {
  deliveryId: string
  eventId: string
  subscriptionId: string
  projectId: string
  environment: string
  /** `createdAt` of the job. The delivery log partitions deliveries by this day. */
  createdAt: number
  step: number
  /** Status of the delivery after this transition. */
  status: DeliveryStatus
  /** Attempts made so far, including this one. */
  attempts: number
  /** False for a transition without an attempt (paused, resumed, cancelled). */
  attempted: boolean
  at: number
  url: string
  httpStatus: number | null
  latencyMs: number | null
  errorClass: ErrorClass | null
  errorMessage: string | null
  /** First 4 KiB of the response body. */
  answer: string | null
  nextAttemptAt: number | null
  /** Only of a dead letter. */
  change: DeliveredChange | null
}

/** The change that a dead letter would have delivered. */
export type DeliveredChange = {
  table: string
  operation: ChangeOperation
  recordId: string | null
  redeliveryOf: string | null
}

/**
 * Topics `*.invalid`: a message that breaks the contract, with the reason. A captured change that
 * cannot be relayed to its topic has partition and offset -1.
 */
export type InvalidMessage = {
  topic: string
  partition: number
  offset: string
  key: Buffer | null
  value: Buffer | null
  reason: string
  /** Consumer group or relay that refused the message. */
  refusedBy: string
  at: number
}
