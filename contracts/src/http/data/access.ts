import * as z from 'zod'
import { JsonObject, objectJson } from '../../json/json-object.ts'
import { ruled } from '../../violation-rules.ts'
import { ColumnName } from './names.ts'

export const accessActions = ['read', 'create', 'update', 'delete'] as const
export type AccessAction = (typeof accessActions)[number]

const Role = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9_-]{1,64}|\*)$/,
    '1 to 64 letters, digits, "-" or "_", or "*" for every user',
  )

const maxRuleColumns = 200

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length

/** The type of `where` after the check of its form; data-api checks it against the columns. */
const Where = JsonObject.meta({
  override: objectJson,
  description:
    'A filter that the record must match. `$user.id`, `$user.email`, `$user.roles` and ' +
    '`$user.<attribute>` stand for the values of the caller',
})

export const AccessRule = z
  .strictObject({
    role: Role,
    where: Where.optional(),
    columns: z
      .array(ColumnName)
      .max(maxRuleColumns)
      .refine(isUnique, ruled('each column once', 'repeated'))
      .optional()
      .describe(
        'The columns that the role may read, or may send in a create or an update. Absent: all',
      ),
    set: JsonObject.meta({
      override: objectJson,
      description:
        'Values that the platform writes on a create or an update, and that the caller may not ' +
        'send. They may be variables such as `$user.id`',
    }).optional(),
  })
  .meta({ id: 'AccessRule' })
export type AccessRule = z.infer<typeof AccessRule>

export const AccessEntry = z.union([Role, AccessRule])
export type AccessEntry = z.infer<typeof AccessEntry>

const Entries = z
  .array(AccessEntry)
  .max(100)
  .refine(
    (entries) => isUnique(entries.filter((entry) => typeof entry === 'string')),
    ruled('each role once', 'repeated'),
  )

export const AccessInput = z.partialRecord(z.enum(accessActions), Entries)
export type AccessInput = z.infer<typeof AccessInput>

/** The roles and rules of each action, as an answer shows them. */
export const Access = z.object({
  read: z.array(AccessEntry),
  create: z.array(AccessEntry),
  update: z.array(AccessEntry),
  delete: z.array(AccessEntry),
})
export type Access = z.infer<typeof Access>
