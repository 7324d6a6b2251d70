import * as z from 'zod'
import { changeFields } from '../../events/new-change.ts'
import { JsonObject } from '../../json/json-object.ts'
import { defineOperation } from '../../operation.ts'
import { Instant } from '../instant.ts'
import { TableName } from './names.ts'
import { common, refused, tenant } from './tables.ts'

/** The most changes that one request may publish. */
export const maxPublishedChanges = 1000

/** The largest JSON of a record. The data API has the same limit for its own records. */
export const maxPublishedRecordBytes = 262_144

/** The media types of the JSON format of CloudEvents: one event, and a batch. */
export const cloudEventType = 'application/cloudevents+json'
export const cloudEventBatchType = 'application/cloudevents-batch+json'

export const ChangeInput = z
  .strictObject({
    table: TableName.describe(
      'The table of the record. The data API must not have a table of this name',
    ),
    event: changeFields.operation.describe('The operation on the record'),
    recordId: changeFields.recordId.describe('The id of the record'),
    record: JsonObject.describe(
      'The full record, at most 256 KiB; for `DELETE` as it was just before',
    ),
    changedFields: changeFields.changedFields.describe('The fields that an `UPDATE` changed'),
    id: changeFields.id.describe(
      'The id of the event: publish a change again with the same id. Default: a new id',
    ),
    timestamp: changeFields.timestamp.describe(
      'When the change was made, in UTC. Default: the time of the request',
    ),
  })
  .refine(({ event, changedFields = [] }) => event === 'UPDATE' || changedFields.length === 0, {
    path: ['changedFields'],
    error: 'only for UPDATE',
  })
  .meta({ id: 'ChangeInput' })
export type ChangeInput = z.infer<typeof ChangeInput>

const text = z.string().min(1).max(1_024)
const operationForm = /^(?:insert|update|delete)$/i
const jsonForm = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

export const CloudEvent = z
  .looseObject({
    specversion: z.literal('1.0').describe('The version of CloudEvents'),
    id: text.describe('Identifies the event, together with `source`'),
    source: z.string().regex(/^\S+$/, 'must be a URI reference').describe('Origin of the event'),
    type: text.describe('Ends with `.insert`, `.update` or `.delete`, unless `operation` is set'),
    subject: z
      .string()
      .optional()
      .describe('`table/recordId`, unless `table` and `recordid` are set'),
    time: Instant.optional().describe('When the change was made. Default: the time of the request'),
    datacontenttype: z
      .string()
      .regex(jsonForm, 'must be a type of JSON')
      .optional()
      .describe('Only JSON'),
    data: JsonObject.describe(
      'The full record, at most 256 KiB; after a deletion as it was just before',
    ),
    operation: z
      .string()
      .regex(operationForm, 'must be insert, update or delete')
      .optional()
      .describe('`insert`, `update` or `delete`'),
    table: z.string().optional().describe('The table of the record'),
    recordid: z.string().optional().describe('The id of the record'),
    changedfields: z
      .string()
      .optional()
      .describe('The fields that an update changed, separated by commas'),
  })
  .meta({
    id: 'CloudEvent',
    description: 'An event of CloudEvents 1.0. Other attributes are ignored',
  })
export type CloudEvent = z.infer<typeof CloudEvent>

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(maxPublishedChanges)

export const publishChanges = defineOperation({
  ...common,
  right: 'records',
  tag: 'changes',
  id: 'publishChanges',
  method: 'post',
  path: '/api/rest/_changes',
  summary: 'Publish changes',
  description:
    'Publishes one change from an object, or up to 1,000 changes from an array, all or none. ' +
    'They are delivered like changes of the data API. A change with an `id` of the last 24 ' +
    'hours is not published again. The body can also be CloudEvents 1.0, structured, in a ' +
    'batch, or binary with `ce-` headers.',
  headers: tenant,
  body: z.unknown(),
  bodies: {
    'application/json': z.union([ChangeInput, listOf(ChangeInput)]),
    [cloudEventType]: CloudEvent,
    [cloudEventBatchType]: listOf(CloudEvent),
  },
  reply: {
    status: 202,
    schema: z.object({
      ids: z.array(z.uuid()).describe('The ids of the events, in the order of the changes'),
    }),
    description: 'The changes are stored, and will be delivered',
  },
  errors: [...refused, 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
})
