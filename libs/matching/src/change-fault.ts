import type { ChangeEvent } from '@surehook/contracts/events'
import { isJsonObject } from '@surehook/contracts/json/json-object'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const name = /^[A-Za-z0-9_-]{1,64}$/
const tableName = /^[a-z_][a-z0-9_]{0,62}$/
const utcTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/
const maxRecordId = 256
const maxFields = 1_000
const maxField = 128
const maxRequestId = 128

/** Returns the fault of a decoded event, or `null`. The Avro schema checks types but not values. */
export function changeFault(event: ChangeEvent): string | null {
  if (!uuid.test(event.id)) return 'id: not a UUID'
  if (!utcTime.test(event.timestamp) || Number.isNaN(Date.parse(event.timestamp))) {
    return 'timestamp: not ISO 8601 in UTC'
  }
  if (!name.test(event.projectId)) return 'projectId: not a name'
  if (!name.test(event.environment)) return 'environment: not a name'
  if (!tableName.test(event.table)) return 'table: not a name'
  if (!isText(event.recordId, maxRecordId)) return `recordId: 1 to ${maxRecordId} characters`
  if (event.requestId !== null && !isText(event.requestId, maxRequestId)) {
    return `requestId: 1 to ${maxRequestId} characters`
  }
  return fieldsFault(event) ?? previousFault(event)
}

function fieldsFault({ operation, changedFields }: ChangeEvent): string | null {
  if (operation !== 'UPDATE' && changedFields.length > 0) return 'changedFields: only for UPDATE'
  const fit =
    changedFields.length <= maxFields && changedFields.every((field) => isText(field, maxField))
  return fit ? null : `changedFields: at most ${maxFields} of 1 to ${maxField} characters`
}

function previousFault({ previous }: ChangeEvent): string | null {
  if (previous === undefined || previous === null) return null
  try {
    return isJsonObject(JSON.parse(previous)) ? null : 'previous: not the text of a JSON object'
  } catch {
    return 'previous: not JSON'
  }
}

const isText = (text: string, max: number) => text.length > 0 && text.length <= max
