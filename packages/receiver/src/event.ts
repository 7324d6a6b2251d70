import { WebhookError } from './webhook-error.ts'

type ChangeOf<R> = {
  /** Id of the change. Two subscriptions to one change receive the same id. */
  readonly id: string
  /** Time of the change, ISO 8601. */
  readonly timestamp: string
  readonly projectId: string
  readonly environment: string
  readonly table: string
  /** The record after the change, or just before a `DELETE`; with `select`, only those fields. */
  readonly record: R
}

export type InsertEvent<R extends object = Record<string, unknown>> = ChangeOf<R> & {
  readonly operation: 'INSERT'
  readonly changedFields: readonly []
}

export type UpdateEvent<R extends object = Record<string, unknown>> = ChangeOf<R> & {
  readonly operation: 'UPDATE'
  readonly changedFields: readonly (keyof R & string)[]
}

export type DeleteEvent<R extends object = Record<string, unknown>> = ChangeOf<R> & {
  readonly operation: 'DELETE'
  readonly changedFields: readonly []
}

/** A change of a record. `operation` tells the three kinds apart. */
export type WebhookEvent<R extends object = Record<string, unknown>> =
  | InsertEvent<R>
  | UpdateEvent<R>
  | DeleteEvent<R>

const operations: readonly unknown[] = ['INSERT', 'UPDATE', 'DELETE']

/** Parses the body of a verified delivery. Throws `invalid_body` if it is not an event. */
export function parseEvent<R extends object>(body: string): WebhookEvent<R> {
  const payload = parseObject(body)
  const { event, changed_fields: changedFields = [] } = payload
  if (!operations.includes(event)) throw invalid('event')
  if (!isObject(payload['record'])) throw invalid('record')
  if (!Array.isArray(changedFields) || !changedFields.every(isText)) throw invalid('changed_fields')
  const parsed = {
    id: textOf(payload, 'id'),
    timestamp: textOf(payload, 'timestamp'),
    projectId: textOf(payload, 'project_id'),
    environment: textOf(payload, 'environment'),
    table: textOf(payload, 'table'),
    operation: event,
    record: payload['record'],
    changedFields,
  }
  return parsed as unknown as WebhookEvent<R>
}

type Payload = Record<string, unknown> & { event?: unknown; changed_fields?: unknown }

function parseObject(body: string): Payload {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch (err) {
    throw new WebhookError('invalid_body', 'The body is not JSON', { cause: err })
  }
  if (!isObject(parsed)) throw new WebhookError('invalid_body', 'The body is not an object')
  return parsed
}

function textOf(payload: Payload, field: string): string {
  const value = payload[field]
  if (!isText(value)) throw invalid(field)
  return value
}

const invalid = (field: string) =>
  new WebhookError('invalid_body', `The field ${field} is missing or not valid`)

const isText = (value: unknown): value is string => typeof value === 'string'

const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
