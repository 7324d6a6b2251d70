import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { nextCursor } from '../admin/admin.ts'
import { GraphQLRequest, GraphQLResult, graphqlMediaTypes } from '../graphql.ts'
import { idempotencyHeader } from '../idempotency-key.ts'
import { asUser } from './as-user.ts'
import { DataRecord, RecordInput, RecordsInput } from './records.ts'
import { common, existing, refused, tenant } from './tables.ts'

const ifMatch = {
  'if-match': z
    .string()
    .optional()
    .describe('The `ETag` that the record must have, or `*`. Otherwise you get 412'),
}
const ifNoneMatch = {
  'if-none-match': z
    .string()
    .optional()
    .describe('The `ETag` that the record must not have, or `*`'),
}
const preconditions = { ...ifMatch, ...ifNoneMatch }
const one = existing.extend({ id: z.string().describe('The id of the record') })

/**
 * Also accepts a user's access token, as the table's `access` allows. An invalid credential gets
 * AUTH_TOKEN_INVALID, or MANAGEMENT_TOKEN_INVALID if it begins with `mt_`.
 */
const records = { ...common, security: 'managementOrUser', right: 'records' } as const
const recordsRefused = [...refused, 'AUTH_TOKEN_INVALID', 'AUTH_TOKEN_EXPIRED'] as const

export const createRecords = defineOperation({
  ...records,
  id: 'createRecords',
  method: 'post',
  path: '/api/rest/{table}',
  summary: 'Create records',
  description:
    'Creates one record from an object, or up to 1,000 records from an array. An array is ' +
    'created completely or not at all. Each record makes an `INSERT` event.',
  params: existing,
  body: RecordsInput,
  headers: tenant.extend({ ...idempotencyHeader }),
  reply: {
    status: 201,
    schema: DataRecord.or(z.array(DataRecord)),
    description: 'The record, or the records in the order of the array',
    hasETag: true,
  },
  errors: [...recordsRefused, 'TABLE_NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
})

export const listRecords = defineOperation({
  ...records,
  id: 'listRecords',
  method: 'get',
  path: '/api/rest/{table}',
  summary: 'List records',
  description:
    'Returns the records that match `where`, page by page. Records are sorted by `id`, the ' +
    'order of creation, unless `order` names other fields. Pass `nextCursor` as `cursor` to ' +
    'read the next page.',
  params: existing,
  query: z.strictObject({
    where: z.string().optional().describe('A filter as JSON'),
    order: z
      .string()
      .optional()
      .describe(
        'Fields, separated by commas. A `-` before a field sorts descending. Default: `id`',
      ),
    limit: z.coerce.number().int().min(1).max(200).default(50).describe('Records per page'),
    cursor: z.string().min(1).optional().describe('`nextCursor` of the page before'),
  }),
  headers: tenant.extend(asUser),
  reply: {
    status: 200,
    schema: z.object({ records: z.array(DataRecord), nextCursor }),
  },
  errors: [...recordsRefused, 'TABLE_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
})

export const getRecord = defineOperation({
  ...records,
  id: 'getRecord',
  method: 'get',
  path: '/api/rest/{table}/{id}',
  summary: 'Get a record',
  description:
    'Returns the record and its `ETag`. With `If-None-Match` you get 304 if you already have ' +
    'the current state.',
  params: one,
  headers: tenant.extend({ ...preconditions, ...asUser }),
  reply: { status: 200, schema: DataRecord, hasETag: true },
  errors: [
    ...recordsRefused,
    'TABLE_NOT_FOUND',
    'RECORD_NOT_FOUND',
    'USER_NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
  ],
})

export const updateRecord = defineOperation({
  ...records,
  id: 'updateRecord',
  method: 'patch',
  path: '/api/rest/{table}/{id}',
  summary: 'Change a record',
  description:
    'Changes the fields in the request. Absent fields keep their values, and `null` clears a ' +
    'field. With `If-Match` the change applies only to the state that you read. A request ' +
    'that changes nothing makes no event.',
  params: one,
  body: RecordInput,
  headers: tenant.extend({ ...idempotencyHeader, ...preconditions }),
  reply: { status: 200, schema: DataRecord, hasETag: true },
  errors: [
    ...recordsRefused,
    'TABLE_NOT_FOUND',
    'RECORD_NOT_FOUND',
    'PRECONDITION_FAILED',
    'CONFLICT',
    'PAYLOAD_TOO_LARGE',
  ],
})

export const deleteRecord = defineOperation({
  ...records,
  id: 'deleteRecord',
  method: 'delete',
  path: '/api/rest/{table}/{id}',
  summary: 'Delete a record',
  description:
    'Deletes the record and returns its last state. The deletion makes a `DELETE` event. With ' +
    '`If-Match` the deletion applies only to the state that you read.',
  params: one,
  headers: tenant.extend({ ...idempotencyHeader, ...preconditions }),
  reply: { status: 200, schema: DataRecord, description: 'The last state of the record' },
  errors: [
    ...recordsRefused,
    'TABLE_NOT_FOUND',
    'RECORD_NOT_FOUND',
    'PRECONDITION_FAILED',
    'CONFLICT',
  ],
})

export const dataGraphQL = defineOperation({
  ...records,
  id: 'dataGraphQL',
  method: 'post',
  path: '/api/graphql',
  summary: 'Use records over GraphQL',
  description:
    "Offers the record operations in a typed schema of the environment's tables. A failed " +
    'operation is an entry in `errors`, and the status stays 200. An `Idempotency-Key` covers ' +
    'each mutation of the request.',
  body: GraphQLRequest,
  headers: tenant.extend({ ...idempotencyHeader, ...asUser }),
  reply: { status: 200, schema: GraphQLResult },
  mediaTypes: graphqlMediaTypes,
  refusal: GraphQLResult,
  errors: [...recordsRefused, 'USER_NOT_FOUND'],
})
