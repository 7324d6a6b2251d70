import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../admin/admin.ts'
import { GraphQLRequest, GraphQLResult, graphqlMediaTypes } from '../graphql.ts'
import { idempotencyHeader } from '../idempotency-key.ts'
import { ColumnName, TableName } from './names.ts'
import { DataRecord, RecordInput, RecordsInput } from './records.ts'

export const columnTypes = [
  'text',
  'integer',
  'bigint',
  'double',
  'decimal',
  'boolean',
  'timestamp',
  'date',
  'uuid',
  'json',
] as const
export const ColumnType = z.enum(columnTypes).meta({ id: 'ColumnType' })
export type ColumnType = z.infer<typeof ColumnType>

export const accessActions = ['read', 'create', 'update', 'delete'] as const

const Roles = z
  .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" or "_"'))
  .max(100)
  .refine((roles) => new Set(roles).size === roles.length, 'each role once')

const maxColumns = 200

export const TableInput = z
  .strictObject({
    columns: z
      .array(
        z.strictObject({
          name: ColumnName,
          type: ColumnType,
          required: z.boolean().optional(),
          unique: z.boolean().optional(),
          default: z.unknown().optional().describe('Taken when a new record leaves the field out'),
        }),
      )
      .max(maxColumns)
      .superRefine((columns, context) => {
        const seen = new Set<string>()
        for (const [index, { name }] of columns.entries()) {
          if (seen.has(name)) {
            context.addIssue({ code: 'custom', message: 'each name once', path: [index, 'name'] })
          }
          seen.add(name)
        }
      }),
    access: z
      .partialRecord(z.enum(accessActions), Roles)
      .optional()
      .describe('Roles whose users may; nobody for what is left out'),
  })
  .meta({ id: 'TableInput' })
export type TableInput = z.infer<typeof TableInput>

export const Table = z
  .object({
    name: z.string(),
    columns: z.array(
      z.object({
        name: z.string(),
        type: ColumnType,
        required: z.boolean(),
        unique: z.boolean(),
        default: z.unknown().describe('null: none'),
      }),
    ),
    access: z.object({
      read: z.array(z.string()),
      create: z.array(z.string()),
      update: z.array(z.string()),
      delete: z.array(z.string()),
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Table', description: 'Besides its columns it has id, createdAt and updatedAt' })
export type Table = z.infer<typeof Table>

/** The tenant that a call is about. */
const tenant = z.object({
  'x-project-id': ProjectId,
  environment: EnvironmentName.default('master'),
})
const ifMatch = {
  'if-match': z.string().optional().describe('ETags of the record, or *; another record is a 412'),
}
const ifNoneMatch = { 'if-none-match': z.string().optional().describe('ETags, or *') }
const preconditions = { ...ifMatch, ...ifNoneMatch }
const common = { tag: 'data', security: 'management', headers: tenant } as const
const refused = [
  'VALIDATION_ERROR',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
] as const

/** A table that cannot exist is not found; only PUT has to name a fault. */
const existing = z.object({ table: z.string() })
const one = existing.extend({ id: z.string() })

export const putTable = defineOperation({
  ...common,
  id: 'putTable',
  method: 'put',
  path: '/api/rest/_tables/{table}',
  summary: 'Create a table, or evolve it without losing data',
  params: z.object({ table: TableName }),
  body: TableInput,
  reply: { status: 200, schema: Table },
  errors: [...refused],
})

export const listTables = defineOperation({
  ...common,
  id: 'listTables',
  method: 'get',
  path: '/api/rest/_tables',
  summary: 'The tables of the environment, by name',
  reply: { status: 200, schema: z.object({ tables: z.array(Table) }) },
  errors: [...refused],
})

export const getTable = defineOperation({
  ...common,
  id: 'getTable',
  method: 'get',
  path: '/api/rest/_tables/{table}',
  summary: 'The definition of a table',
  params: existing,
  reply: { status: 200, schema: Table },
  errors: [...refused, 'TABLE_NOT_FOUND'],
})

export const deleteTable = defineOperation({
  ...common,
  id: 'deleteTable',
  method: 'delete',
  path: '/api/rest/_tables/{table}',
  summary: 'Drop a table with all its records; its records make no events',
  params: existing,
  reply: { status: 204, schema: z.void() },
  errors: [...refused, 'TABLE_NOT_FOUND'],
})

/**
 * For a user's access token too, as far as the table's `access` goes. Without a good credential: AUTH_TOKEN_INVALID,
 * for one that begins with `mt_` MANAGEMENT_TOKEN_INVALID.
 */
const records = { ...common, security: 'managementOrUser' } as const
const recordsRefused = [...refused, 'AUTH_TOKEN_INVALID', 'AUTH_TOKEN_EXPIRED'] as const

export const createRecords = defineOperation({
  ...records,
  id: 'createRecords',
  method: 'post',
  path: '/api/rest/{table}',
  summary: 'Create one record (object) or several, all or none (array)',
  params: existing,
  body: RecordsInput,
  headers: tenant.extend({ ...idempotencyHeader }),
  reply: {
    status: 201,
    schema: DataRecord.or(z.array(DataRecord)),
    description: 'The record for an object, the records in the order sent for an array',
    hasETag: true,
  },
  errors: [...recordsRefused, 'TABLE_NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
})

export const listRecords = defineOperation({
  ...records,
  id: 'listRecords',
  method: 'get',
  path: '/api/rest/{table}',
  summary: 'Records that match a filter, page by page',
  params: existing,
  query: z.strictObject({
    where: z.string().optional().describe('A filter as JSON'),
    order: z
      .string()
      .optional()
      .describe('Fields, comma-separated, "-" before a field for descending; by id when absent'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().min(1).optional().describe('nextCursor of the page before'),
  }),
  reply: {
    status: 200,
    schema: z.object({ records: z.array(DataRecord), nextCursor: z.string().nullable() }),
  },
  errors: [...recordsRefused, 'TABLE_NOT_FOUND'],
})

export const getRecord = defineOperation({
  ...records,
  id: 'getRecord',
  method: 'get',
  path: '/api/rest/{table}/{id}',
  summary: 'One record',
  params: one,
  headers: tenant.extend({ ...preconditions }),
  reply: { status: 200, schema: DataRecord, hasETag: true },
  errors: [...recordsRefused, 'TABLE_NOT_FOUND', 'RECORD_NOT_FOUND', 'PRECONDITION_FAILED'],
})

export const updateRecord = defineOperation({
  ...records,
  id: 'updateRecord',
  method: 'patch',
  path: '/api/rest/{table}/{id}',
  summary: 'Change fields of a record; what is left out stays, null clears',
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
  params: one,
  headers: tenant.extend({ ...idempotencyHeader, ...preconditions }),
  reply: { status: 200, schema: DataRecord, description: 'The record as it was' },
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
  summary: 'The operations on records over GraphQL: one that fails is an entry in `errors`',
  body: GraphQLRequest,
  headers: tenant.extend({ ...idempotencyHeader }),
  reply: { status: 200, schema: GraphQLResult },
  mediaTypes: graphqlMediaTypes,
  refusal: GraphQLResult,
  errors: [...recordsRefused],
})
