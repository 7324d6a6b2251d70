import * as z from 'zod'
import { type ChangeEvent, changeOperations } from '../events.ts'
import { newEventId } from '../ids.ts'
import { numberFault } from '../json/exact-json.ts'
import { isJsonObject, JsonObject } from '../json/json-object.ts'
import type { Violation } from '../problem.ts'
import { EnvironmentName, ProjectId } from '../tenant-names.ts'
import { isTraceparent } from '../trace/traceparent.ts'

const maxRecordBytes = 1_048_576

const text = (max: number) => z.string().min(1).max(max)

/** The `source` of changes that a service published over HTTP. */
export const httpSource = 'http'

/** The rules of what a change is, over Kafka as over HTTP. */
export const changeFields = {
  id: z.uuid().optional(),
  timestamp: z.iso.datetime().optional(),
  recordId: text(256),
  operation: z.enum(changeOperations),
  changedFields: z.array(text(128)).max(1_000).optional(),
}

const NewChangeSchema = z.strictObject({
  ...changeFields,
  projectId: ProjectId,
  environment: EnvironmentName,
  table: z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be a table name: a-z, 0-9 and "_"'),
  record: z.union([
    JsonObject,
    z.string().refine(isObjectText, 'must be the text of a JSON object'),
  ]),
  requestId: text(128).nullable().optional(),
  traceparent: z
    .string()
    .refine(isTraceparent, 'must be a W3C traceparent, or null')
    .nullable()
    .optional(),
})

/** A change as a service describes it. Missing optional fields get defaults. */
export type NewChange = {
  /**
   * UUID of the event. Choose one and keep it when you publish the same change again: receivers use
   * it to recognise duplicates.
   */
  id?: string
  /** ISO 8601 in UTC (`…Z`). Default: now. */
  timestamp?: string
  projectId: string
  environment: string
  table: string
  recordId: string
  operation: ChangeEvent['operation']
  /** The full record or its JSON text. For DELETE: the record just before it was deleted. */
  record: Readonly<Record<string, unknown>> | string
  /** Only for UPDATE. */
  changedFields?: readonly string[]
  requestId?: string | null
  /** W3C Trace Context `traceparent`. Each delivery sends it as a header. */
  traceparent?: string | null
}

/**
 * Thrown before anything is published. Each field starts with the index of the change in the list:
 * `0.recordId`.
 */
export class InvalidChangeError extends Error {
  override readonly name = 'InvalidChangeError'
  readonly violations: readonly Violation[]

  constructor(violations: readonly Violation[]) {
    super(violations.map(({ field, message }) => `${field}: ${message}`).join('; '))
    this.violations = violations
  }
}

/**
 * Converts all changes to events. Throws one `InvalidChangeError` with the faults of all changes.
 */
export function toChangeEvents(changes: readonly NewChange[], source: string): ChangeEvent[] {
  const violations: Violation[] = []
  const events = changes.map((change, index) => {
    const { event, faults } = toChangeEvent(change, source)
    for (const { field, message } of faults) {
      violations.push({ field: field === '' ? `${index}` : `${index}.${field}`, message })
    }
    return event
  })
  if (violations.length > 0) throw new InvalidChangeError(violations)
  return events.filter((event) => event !== null)
}

function toChangeEvent(
  change: NewChange,
  source: string,
): { event: ChangeEvent | null; faults: Violation[] } {
  const parsed = NewChangeSchema.safeParse(change)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({
      field: path.join('.'),
      message,
    }))
    return { event: null, faults }
  }
  const { record, changedFields = [], operation, ...rest } = parsed.data
  const inexact = numberFault(record)
  if (inexact !== null) {
    const { fault: message, path } = inexact
    return { event: null, faults: [{ field: ['record', ...path].join('.'), message }] }
  }
  const json = typeof record === 'string' ? record : JSON.stringify(record)
  const event = {
    ...rest,
    id: rest.id ?? newEventId(),
    timestamp: rest.timestamp ?? new Date().toISOString(),
    operation,
    record: json,
    changedFields,
    source,
    requestId: rest.requestId ?? null,
    traceparent: rest.traceparent ?? null,
  }
  const faults = []
  if (Buffer.byteLength(json) > maxRecordBytes) {
    faults.push({ field: 'record', message: `more than ${maxRecordBytes} bytes of JSON` })
  }
  if (operation !== 'UPDATE' && changedFields.length > 0) {
    faults.push({ field: 'changedFields', message: 'only for UPDATE' })
  }
  return { event, faults }
}

function isObjectText(json: string): boolean {
  try {
    return isJsonObject(JSON.parse(json))
  } catch {
    return false
  }
}
