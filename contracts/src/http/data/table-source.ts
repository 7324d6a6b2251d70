import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'

/**
 * A name, or one in double quotes: `Order "A"` is written `"Order ""A"""`. Without `\p{Cc}`, for
 * which tools that read OpenAPI cannot make values.
 */
const identifier = '(?:[a-z_][a-z0-9_$]*|"(?:[^"\\u0000-\\u001f\\u007f-\\u009f]|"")+")'
const relationForm = new RegExp(`^${identifier}\\.${identifier}$`, 'u')
const sourceForm = /^[a-z][a-z0-9_]{0,62}$/

/** The longest name of PostgreSQL is 63 bytes long. */
const columnOfSource = z.string().min(1).max(63)
/** PostgreSQL's most columns of a table. */
const maxColumnsOfSource = 1_600

export const SourceName = z
  .string()
  .regex(sourceForm, `must match ${sourceForm.source}`)
  .meta({ id: 'SourceName' })

/** As PostgreSQL reads it. It becomes part of SQL that is shown to users. */
export const Relation = z
  .string()
  .max(256)
  .regex(relationForm, 'must be schema.table, each in double quotes where SQL needs them')

/** Which rows of which database a table has. */
export const TableSource = z
  .object({
    name: z.string().describe('The name of the source'),
    relation: z.string().describe('The table in its database, as `schema.table`'),
    exclude: z.array(z.string()).describe('Columns that no event has'),
  })
  .meta({ id: 'TableSource' })
export type TableSource = z.infer<typeof TableSource>

/** The fields of a request that defines a table of a source. */
export const sourceFields = {
  source: SourceName.optional().describe(
    'The source whose database has the rows. The table then has no `columns` and no `access` here',
  ),
  relation: Relation.optional().describe(
    'The table in the database of the source: `public.orders`, or `public."Orders"`',
  ),
  exclude: z
    .array(columnOfSource)
    .max(maxColumnsOfSource)
    .optional()
    .describe('Columns of the relation that no event has'),
}

type SourceFields = {
  source?: string | undefined
  relation?: string | undefined
  exclude?: string[] | undefined
}

/** Returns the source that a valid request names. `null`: the data API has the rows. */
export function sourceOf({ source, relation, exclude = [] }: SourceFields): TableSource | null {
  return source === undefined || relation === undefined ? null : { name: source, relation, exclude }
}

/** Refuses fields of an own table beside a source, and those of a source without one. */
export function refuseMixedTable(
  input: SourceFields & { columns?: unknown; access?: unknown },
  context: z.RefinementCtx,
): void {
  const isOfSource = input.source !== undefined
  const refuse = (field: string, { error: message, params }: ReturnType<typeof ruled>) =>
    context.addIssue({ code: 'custom', path: [field], message, params })
  const needed = isOfSource ? 'relation' : 'columns'
  if (input[needed] === undefined) refuse(needed, ruled('is required', 'required'))
  for (const field of isOfSource
    ? (['columns', 'access'] as const)
    : (['relation', 'exclude'] as const)) {
    if (input[field] === undefined) continue
    const message = isOfSource ? 'may not stand beside `source`' : 'needs `source`'
    refuse(field, ruled(message, 'not_together'))
  }
}
