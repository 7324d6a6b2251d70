import * as z from 'zod'
import { isJsonObject, JsonObject, objectJson } from '../../json-object.ts'

/** A JSON object with the keys as sent: what a record may hold depends on its table. */
export type RecordInput = JsonObject

/** How many records one POST may create. */
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
      'A record has the columns of its table as further fields. `bigint` and `decimal` are strings. Timestamps are ISO 8601 in UTC with milliseconds. A user who may not read the table gets only these three fields after a write.',
  })
