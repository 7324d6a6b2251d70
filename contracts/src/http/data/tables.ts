import * as z from 'zod'
import { fieldTypes } from '../../filter/filter.ts'
import { isRounded, roundedFault } from '../../json/exact-json.ts'
import { isJsonObject } from '../../json/json-object.ts'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { ruled } from '../../violation-rules.ts'
import { Access, AccessInput } from './access.ts'
import { ColumnName, TableName } from './names.ts'
import { refuseMixedTable, sourceFields, TableSource } from './table-source.ts'

export const ColumnType = z.enum(fieldTypes).meta({ id: 'ColumnType' })
export type ColumnType = z.infer<typeof ColumnType>

const maxColumns = 200

const ColumnInput = z.strictObject({
  name: ColumnName,
  type: ColumnType,
  required: z.boolean().optional().describe('Every record has a value'),
  unique: z.boolean().optional().describe('No two records share a value'),
  default: z.unknown().optional().describe('The value of a new record that leaves the field out'),
})

/** Only the default of a `double` column may be a number that JavaScript rounds. */
function refuseRoundedDefault(column: unknown, context: z.RefinementCtx): unknown {
  // The schema copies the column, and the copy does not know which numbers were rounded.
  if (isJsonObject(column) && column['type'] !== 'double' && isRounded(column, 'default')) {
    const { error: message, params } = ruled(roundedFault, 'unfit_value')
    context.addIssue({ code: 'custom', path: ['default'], message, params })
  }
  return column
}

export const TableInput = z
  .strictObject({
    columns: z
      .array(z.preprocess(refuseRoundedDefault, ColumnInput))
      .max(maxColumns)
      .superRefine((columns, context) => {
        const seen = new Set<string>()
        for (const [index, { name }] of columns.entries()) {
          if (seen.has(name)) {
            context.addIssue({ code: 'custom', message: 'each name once', path: [index, 'name'] })
          }
          seen.add(name)
        }
      })
      .optional()
      .describe('Every column of the table. Required without `source`'),
    access: z
      .union([z.literal('owner'), AccessInput])
      .optional()
      .describe(
        'The roles that may do each action, or rules that limit a role to some records and ' +
          'columns. `"owner"`: each user reads and changes the records that they created',
      ),
    ...sourceFields,
  })
  .superRefine(refuseMixedTable)
  .meta({ id: 'TableInput' })
export type TableInput = z.infer<typeof TableInput>
/** The definition of a table whose records the data API has. */
export type OwnTableInput = Pick<TableInput, 'access'> & {
  columns: NonNullable<TableInput['columns']>
}

export const Table = z
  .object({
    name: z.string(),
    columns: z.array(
      z.object({
        name: z.string(),
        type: ColumnType,
        required: z.boolean(),
        unique: z.boolean(),
        default: z.unknown().describe('null: no default'),
      }),
    ),
    access: Access,
    source: TableSource.nullable().describe('Where the rows are. null: here'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({
    id: 'Table',
    description:
      'Every table also has the columns `id`, `createdAt` and `updatedAt`, except a table of a ' +
      'source: it has the columns of its relation, as far as they are known',
  })
export type Table = z.infer<typeof Table>

/** The tenant of a call. */
export const tenant = z.object({
  'x-project-id': ProjectId,
  environment: EnvironmentName.default('master'),
})
export const common = {
  tag: 'data',
  security: 'management',
  right: 'tables',
  headers: tenant,
} as const
export const refused = [
  'VALIDATION_ERROR',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
] as const

/** Any text is accepted as a name here: an impossible name gets 404. Only PUT reports the fault. */
export const existing = z.object({ table: z.string().describe('The name of the table') })

export const putTable = defineOperation({
  ...common,
  id: 'putTable',
  method: 'put',
  path: '/api/rest/_tables/{table}',
  summary: 'Create or change a table',
  description:
    'Creates the table, or changes its definition. The request lists every column. A change ' +
    'that would lose data is refused with a violation that names the column. Absent actions ' +
    'in `access` keep their roles. With `source` the rows stay in the database of the source: ' +
    'their changes become events, and records are neither read nor written here.',
  params: z.object({ table: TableName }),
  body: TableInput,
  reply: { status: 200, schema: Table },
  errors: [...refused, 'CONFLICT'],
})

export const listTables = defineOperation({
  ...common,
  id: 'listTables',
  method: 'get',
  path: '/api/rest/_tables',
  summary: 'List tables',
  description:
    'Returns every table of the environment with its columns and access rules, sorted by ' +
    'name.',
  reply: { status: 200, schema: z.object({ tables: z.array(Table) }) },
  errors: [...refused],
})

export const getTable = defineOperation({
  ...common,
  id: 'getTable',
  method: 'get',
  path: '/api/rest/_tables/{table}',
  summary: 'Get a table',
  description: 'Returns the columns and the access rules of the table.',
  params: existing,
  reply: { status: 200, schema: Table },
  errors: [...refused, 'TABLE_NOT_FOUND'],
})

export const deleteTable = defineOperation({
  ...common,
  id: 'deleteTable',
  method: 'delete',
  path: '/api/rest/_tables/{table}',
  summary: 'Delete a table',
  description:
    'Deletes the table and all its records. The deleted records make no change events. The rows ' +
    'of a source stay, and their changes make no events any more.',
  params: existing,
  reply: { status: 204, schema: z.void() },
  errors: [...refused, 'TABLE_NOT_FOUND'],
})
