import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { SourceName } from './data/table-source.ts'
import { refused, tenant } from './data/tables.ts'

const mebibyte = 2 ** 20

/** An unquoted PostgreSQL name of at most 63 bytes. */
const PublicationName = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must match ^[a-z_][a-z0-9_]{0,62}$')

export const SourceInput = z
  .strictObject({
    url: z
      .string()
      .max(2_000)
      .describe(
        '`postgresql://user:password@host:port/database`, with `?sslmode=require` to accept any ' +
          'certificate, or `?sslmode=disable`. It is stored encrypted',
      ),
    ca: z
      .string()
      .max(100_000)
      .optional()
      .describe('Certificates in PEM to trust instead of the well-known authorities'),
    publication: PublicationName.default('surehook').describe('The publication to read'),
    walBudget: z
      .int()
      .min(64 * mebibyte)
      .max(2 ** 50)
      .default(2 ** 30)
      .describe(
        'Bytes of WAL that the database may keep for this source. Beyond it the slot is dropped, ' +
          'and changes are missed',
      ),
  })
  .meta({ id: 'SourceInput' })
export type SourceInput = z.infer<typeof SourceInput>

export const SourceFinding = z
  .object({
    level: z
      .enum(['wrong', 'warn'])
      .describe('`wrong`: the relation, or without one nothing, is captured until it is mended'),
    relation: z.string().nullable().describe('The table that it is about'),
    says: z.string(),
    advice: z.string().nullable().describe('What to do where no statement can do it'),
    sql: z.array(z.string()).describe('Statements to run as the owner of the database, in order'),
  })
  .meta({ id: 'SourceFinding' })
export type SourceFinding = z.infer<typeof SourceFinding>

export const sourceStates = [
  'pending',
  'unreachable',
  'unprepared',
  'capturing',
  'stalled',
] as const

const gapReasons = [
  'other_cluster',
  'slot_missing',
  'slot_lost',
  'slot_ahead',
  'budget_exhausted',
  'table_left_out',
] as const

export const SourceGap = z
  .object({
    reason: z
      .enum(gapReasons)
      .describe(
        '`slot_ahead`: somebody else advanced the slot, or made it anew. `table_left_out`: `table` ' +
          'could not be captured any more, or was made anew',
      ),
    table: z.string().nullable().describe('The only table that it is about. null: all'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'SourceGap', description: 'Changes before `at` may be missing' })
export type SourceGap = z.infer<typeof SourceGap>

export const Source = z
  .object({
    name: z.string(),
    url: z.string().describe('Without the password'),
    publication: z.string(),
    walBudget: z.int(),
    slot: z.string().describe('The replication slot in the database'),
    state: z
      .enum(sourceStates)
      .describe(
        '`pending`: not looked at yet. `unprepared`: `findings` say what is missing. `stalled`: ' +
          'the database does not send what was written to it',
      ),
    reason: z.string().nullable().describe('Why it does not capture'),
    findings: z.array(SourceFinding),
    tables: z
      .array(z.object({ table: z.string(), relation: z.string() }))
      .describe('The tables of the environment that follow it'),
    retainedBytes: z.int().nullable().describe('WAL that the database keeps for the slot'),
    budgetEndsInS: z
      .int()
      .nullable()
      .describe('Seconds until the budget is used up at the present rate. null: it does not grow'),
    lastChangeAt: z.iso.datetime().nullable().describe('When the last change was committed'),
    gap: SourceGap.nullable().describe('The last time at which changes may have been missed'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Source' })
export type Source = z.infer<typeof Source>

const common = {
  tag: 'sources',
  security: 'management',
  right: 'sources',
  headers: tenant,
} as const

const existing = z.object({ source: z.string().describe('The name of the source') })
const path = '/api/rest/_sources/{source}'

export const putSource = defineOperation({
  ...common,
  id: 'putSource',
  method: 'put',
  path,
  summary: 'Create or change a source',
  description:
    'Stores how to connect to a PostgreSQL database whose changes become events. Tables of the ' +
    'environment follow it: `PUT _tables/{table}` with `source` and `relation`.',
  params: z.object({ source: SourceName }),
  body: SourceInput,
  reply: { status: 200, schema: Source },
  errors: [...refused, 'CONFLICT'],
})

export const listSources = defineOperation({
  ...common,
  id: 'listSources',
  method: 'get',
  path: '/api/rest/_sources',
  summary: 'List sources',
  description: 'Returns every source of the environment, sorted by name.',
  reply: { status: 200, schema: z.object({ sources: z.array(Source) }) },
  errors: [...refused],
})

export const getSource = defineOperation({
  ...common,
  id: 'getSource',
  method: 'get',
  path,
  summary: 'Get a source',
  description: 'Returns the state of the source, and the SQL that is still to be run for it.',
  params: existing,
  reply: { status: 200, schema: Source },
  errors: [...refused, 'NOT_FOUND'],
})

export const deleteSource = defineOperation({
  ...common,
  id: 'deleteSource',
  method: 'delete',
  path,
  summary: 'Delete a source',
  description:
    'Deletes the source and drops its replication slot. Its tables stay, and get no more changes. ' +
    'If its database does not answer, the slot is tried again for a day.',
  params: existing,
  reply: {
    status: 200,
    schema: z.object({
      slotDropped: z.boolean(),
      sql: z
        .array(z.string())
        .describe('What to run in the database if the slot was not dropped at once: it keeps WAL'),
    }),
  },
  errors: [...refused, 'NOT_FOUND'],
})
