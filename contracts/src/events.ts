/**
 * The values on the topics, as TypeScript sees them. The Avro schemas in `events/*.avsc` are the
 * contract; a test round-trips every type through its schema. Times named `…At` in jobs and
 * attempts are epoch milliseconds; ISO 8601 strings elsewhere.
 */

export const changeOperations = ['INSERT', 'UPDATE', 'DELETE'] as const
export type ChangeOperation = (typeof changeOperations)[number]

/** Topic `changes`: one record changed. */
export type ChangeEvent = {
  /** Unique, made with the change itself, the same however often the event is relayed. */
  id: string
  /** ISO 8601, UTC, when the change was made. */
  timestamp: string
  projectId: string
  environment: string
  table: string
  recordId: string
  operation: ChangeOperation
  /** The full record as JSON text; for DELETE as it was just before. Passed on without parsing. */
  record: string
  /** Only for UPDATE: what the client changed. */
  changedFields: string[]
  /** The service that published it. */
  source: string
  requestId: string | null
  /** W3C Trace Context `traceparent` of the request that made the change. */
  traceparent: string | null
}

/** Topic `platform.environments`, compacted; key `project/environment`. */
export type EnvironmentState = {
  projectId: string
  environment: string
  /** JSON of the full settings as `PUT /auth/admin/…` answers them. */
  settings: string
  updatedAt: string
  /** ISO 8601; not null: it exists no longer, and each service deletes what it holds of it. */
  deletedAt: string | null
  /**
   * Higher after each replacement of its keys at once. What was learnt of the keys under another one counts no more. 0:
   * written by a version that does not know it.
   */
  keyEpoch: number
}

/** Topic `platform.environment-purges`, compacted; key `project/environment/service`. */
export type EnvironmentPurge = {
  projectId: string
  environment: string
  /** The service that holds nothing of the environment any more. */
  service: string
  /** That of the environment's state: which deletion it is. */
  deletedAt: string
}

/** Topic `platform.management-tokens`, compacted; key: token id; a tombstone revokes. */
export type ManagementTokenState = {
  id: string
  projectId: string
  name: string
  /** Lowercase hex SHA-256 of the token. */
  tokenHash: string
  /** `null`: every environment of the project. */
  environments: string[] | null
  createdAt: string
  expiresAt: string | null
}

/** Topic `platform.tables`, compacted; key `project/environment/name`; a tombstone drops. */
export type TableState = {
  projectId: string
  environment: string
  name: string
  /** Those that a client defined; `id`, `createdAt` and `updatedAt` every table has. */
  columns: { name: string; type: string }[]
  updatedAt: string
}

/** A signing secret, encrypted under `KEY_ENCRYPTION_KEY` and bound to its subscription id. */
export type SealedSecret = {
  ciphertext: string
  /** `null` for the current secret; ISO 8601 end of the overlap for a replaced one. */
  validUntil: string | null
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
  /** Its deliveries that were cancelled by request: none of them is attempted any more. */
  cancellations: Cancellation[]
}

export const cancellable = ['retrying', 'paused'] as const
export type CancellableStatus = (typeof cancellable)[number]

/** Deliveries that had the status `status` at `askedAt` and were made until `until`. Both in epoch milliseconds. */
export type Cancellation = {
  status: CancellableStatus
  until: number
  askedAt: number
}

/** Topics `webhook.deliveries` and its retry, paused and dead-letter topics; key: endpoint id. */
export type DeliveryJob = {
  /** UUIDv5(event id, subscription id), or of the redelivery request. */
  deliveryId: string
  /** `webhook-id` header: UUIDv5(event id, subscription id) over retries and redeliveries. */
  webhookId: string
  eventId: string
  subscriptionId: string
  projectId: string
  environment: string
  table: string
  operation: ChangeOperation
  url: string
  /** The final bytes that every attempt sends and signs. */
  body: Buffer
  createdAt: number
  /** Number of the attempt that comes next, from 1. */
  attempt: number
  /** Grows by one with each transition of the delivery, so that projections ignore what is older. */
  step: number
  /** Not before this time; 0 = at once. */
  dueAt: number
  /** Offset at which the job first stood on `webhook.deliveries`: its place in the endpoint's order; -1 there. */
  arrival: number
  redeliveryOf: string | null
  traceparent: string | null
  /** The record of the change; `null`: made by a version that did not tell. */
  recordId: string | null
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

/** Topic `webhook.attempts`; key: delivery id: one transition of a delivery, with the attempt behind it if there was one. */
export type DeliveryAttempt = {
  deliveryId: string
  eventId: string
  subscriptionId: string
  projectId: string
  environment: string
  /** The job's `createdAt`: the log keeps a delivery under the day it was made. */
  createdAt: number
  step: number
  /** The delivery's status from this transition on. */
  status: DeliveryStatus
  /** Attempts made so far, this one included. */
  attempts: number
  /** False for a transition without an attempt (paused, resumed, cancelled). */
  attempted: boolean
  at: number
  url: string
  httpStatus: number | null
  latencyMs: number | null
  errorClass: ErrorClass | null
  errorMessage: string | null
  /** First 4 KiB of the receiver's answer. */
  answer: string | null
  nextAttemptAt: number | null
}

/** Topic `auth.revocations`; key: session id. The last one of a session counts. */
export type SessionRevocation = {
  sessionId: string
  projectId: string
  environment: string
  /** Access tokens whose claim `gen` is lower are refused; `wholeSession`: all of them. */
  minGeneration: number
  /** ISO 8601. By then every one of them has expired. */
  expiresAt: string
}

/** As `minGeneration`: no access token of the session is good any more. */
export const wholeSession = 2_147_483_647

/**
 * Topics `*.invalid`: a message that could not be decoded or is not valid, with the reason; or what was
 * captured for the topic and cannot be relayed there: its partition and offset are -1.
 */
export type InvalidMessage = {
  topic: string
  partition: number
  offset: string
  key: Buffer | null
  value: Buffer | null
  reason: string
  /** The consumer group or the relay that refused it. */
  refusedBy: string
  at: number
}
