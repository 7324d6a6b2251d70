import * as z from 'zod'
import { isJsonObject, JsonObject, objectJson } from '../../json/json-object.ts'

/** A JSON object with its keys as sent. The table decides which keys are allowed. */
export type RecordInput = JsonObject

/** Largest number of records in one POST. */
export const maxBulkRecords = 1000

export const RecordInput = JsonObject.meta({ id: 'RecordInput', override: objectJson })

export const RecordsInput = z
  .unknown()
  .superRefine((body, context) => {
    if (!Array.isArray(body)) {
      if (!isJsonObject(body)) context.addIssue({ code: 'custom', message: 'must be an object' })
      return
    }
    if (body.length < 1 || body.length > maxBulkRecords) {
      context.addIssue({ code: 'custom', message: `must hold 1 to ${maxBulkRecords} records` })
      return
    }
    for (const [index, record] of body.entries()) {
      if (isJsonObject(record)) continue
      context.addIssue({ code: 'custom', message: 'must be an object', path: [index] })
    }
  })
  .transform((body) => body as RecordInput | RecordInput[])
  .meta({
    id: 'RecordsInput',
    override: {
      oneOf: [
        objectJson,
        { type: 'array', minItems: 1, maxItems: maxBulkRecords, items: objectJson },
      ],
    },
  })

export const DataRecord = z
  .looseObject({ id: z.uuid(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({
    id: 'DataRecord',
    description:
      'A record has the columns of its table as further fields. `bigint` and `decimal` are ' +
      'strings. Timestamps are ISO 8601 in UTC with milliseconds. A user who may not read the ' +
      'table gets only these three fields after a write.',
  })
