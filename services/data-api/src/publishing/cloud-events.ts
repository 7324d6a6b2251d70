import { type ChangeInput, CloudEvent } from '@surehook/contracts/http/data/changes'
import { cloudEventId } from '@surehook/contracts/ids'
import { isJsonObject } from '@surehook/contracts/json/json-object'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { parsePart } from '@surehook/service-kit/http/violations'
import type { ChangeDraft, NameOf } from './change-draft.ts'

/**
 * Converts a CloudEvent to a change. Faults name the attribute, also faults of the change itself,
 * such as a reserved table in `subject`.
 * @param input the attributes by name, and `data`
 */
export function draftOfCloudEvent(input: unknown, nameOf: NameOf): ChangeDraft {
  const violations: RuledViolation[] = []
  const event = parsePart('body', CloudEvent, { input: normalized(input), violations })
  if (event === undefined) return refused(violations, nameOf)
  const [operation, missingOperation] = operationOf(event)
  const [recordKey, missingKey] = recordKeyOf(event)
  const missing = [...missingOperation, ...missingKey]
  if (missing.length > 0) return refused(missing, nameOf)
  const draft: { [Name in keyof ChangeInput]: unknown } = {
    ...recordKey,
    event: operation,
    record: event.data,
    id: cloudEventId(event.source, event.id),
    timestamp: event.time?.toISOString(),
    changedFields: event.changedfields?.split(',').map((name) => name.trim()),
  }
  return { faults: [], input: draft, nameOf: (field) => nameOf(attributeOf(event, field)) }
}

const refused = (violations: readonly RuledViolation[], nameOf: NameOf): ChangeDraft => ({
  faults: violations.map((violation) => ({ ...violation, field: nameOf(violation.field) })),
  input: undefined,
  nameOf,
})

/**
 * An attribute that is `null` is not set (JSON format of CloudEvents, section 2.2). A time may have
 * `t` and `z` in lower case (RFC 3339, section 5.6).
 */
function normalized(input: unknown): unknown {
  if (!isJsonObject(input)) return input
  const { time, ...others } = input
  const upper = typeof time === 'string' ? time.toUpperCase() : time
  const entries = Object.entries({ ...others, time: upper })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

type WithFaults<T> = [value: T, faults: RuledViolation[]]

function operationOf({ operation, type }: CloudEvent): WithFaults<string> {
  const named = operation ?? /\.(insert|update|delete)$/i.exec(type)?.[1]
  if (named !== undefined) return [named.toUpperCase(), []]
  const message = 'must end with .insert, .update or .delete, or operation must be set'
  return ['', [{ field: 'type', message, rule: 'invalid_format' }]]
}

type RecordKey = Pick<ChangeInput, 'table' | 'recordId'>

function recordKeyOf({ subject, table, recordid }: CloudEvent): WithFaults<RecordKey> {
  if (table !== undefined && recordid !== undefined) return [{ table, recordId: recordid }, []]
  if (table !== undefined) return missingKey('recordid', 'is required beside table', 'required')
  if (recordid !== undefined) return missingKey('table', 'is required beside recordid', 'required')
  const [, named, recordId] = /^([^/]+)\/(.+)$/s.exec(subject ?? '') ?? []
  if (named !== undefined && recordId !== undefined) return [{ table: named, recordId }, []]
  const message = 'must be table/recordId, or table and recordid must be set'
  return missingKey('subject', message, subject === undefined ? 'required' : 'invalid_format')
}

const missingKey = (field: string, message: string, rule: ViolationRule): WithFaults<RecordKey> => [
  { table: '', recordId: '' },
  [{ field, message, rule }],
]

/**
 * Returns the attribute that a field of the change came from. An attribute is a text, so it has no
 * parts.
 */
function attributeOf(event: CloudEvent, field: string): string {
  const [name = '', ...rest] = field.split('.')
  if (name === 'record') return ['data', ...rest].join('.')
  const isSubject = event.table === undefined
  const attributes: Readonly<Record<string, string>> = {
    table: isSubject ? 'subject' : 'table',
    recordId: isSubject ? 'subject' : 'recordid',
    event: event.operation === undefined ? 'type' : 'operation',
    changedFields: 'changedfields',
    timestamp: 'time',
  }
  return attributes[name] ?? name
}
