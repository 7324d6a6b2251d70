import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { AccessEntry } from './access.ts'
import { explainedUser } from './as-user.ts'
import { common, existing, refused, tenant } from './tables.ts'

export const RuleExplanation = z
  .object({
    place: z.string().describe('Where the rule stands in the table: `access.read.0`'),
    rule: AccessEntry,
    outcome: z
      .enum(['admits', 'not_met', 'no_value', 'other_role'])
      .describe(
        '`not_met`: the record does not meet a condition. `no_value`: the user lacks a value that ' +
          'the rule names. `other_role`: the user does not have the role',
      ),
    reason: z.string().describe('The explanation, as a sentence'),
    field: z
      .string()
      .optional()
      .describe('The first condition that the record does not meet: `access.read.0.where.region`'),
    expected: z
      .unknown()
      .optional()
      .describe('The operand of that condition. Variables have the values of the user'),
    actual: z.unknown().optional().describe('The value of the record in that field'),
  })
  .meta({ id: 'RuleExplanation' })
export type RuleExplanation = z.infer<typeof RuleExplanation>

export const ActionExplanation = z
  .object({
    allowed: z.boolean(),
    reason: z.string().describe('The explanation, as a sentence'),
    columns: z
      .array(z.string())
      .optional()
      .describe('The columns that the user reads, or may send in an update'),
    rules: z.array(RuleExplanation).describe('Each role and rule of the action'),
  })
  .meta({ id: 'ActionExplanation' })
export type ActionExplanation = z.infer<typeof ActionExplanation>

/** The actions on an existing record. */
export const explainedActions = ['read', 'update', 'delete'] as const
export type ExplainedAction = (typeof explainedActions)[number]

export const AccessExplanation = z
  .object({
    recordId: z.string(),
    userId: z.string(),
    roles: z.array(z.string()).describe('The roles of the user'),
    read: ActionExplanation,
    update: ActionExplanation,
    delete: ActionExplanation,
  })
  .meta({ id: 'AccessExplanation' })
export type AccessExplanation = z.infer<typeof AccessExplanation>

export const explainAccess = defineOperation({
  ...common,
  id: 'explainAccess',
  method: 'get',
  path: '/api/rest/_tables/{table}/explain',
  summary: 'Explain the access to a record',
  description:
    'Says whether a user may read, update and delete a record with its present values, and what ' +
    'each rule of the table makes of it. The token also needs the rights `records` and `users`.',
  params: existing,
  headers: tenant.extend(explainedUser),
  query: z.strictObject({ recordId: z.string().min(1).describe('The id of the record') }),
  reply: { status: 200, schema: AccessExplanation },
  errors: [...refused, 'TABLE_NOT_FOUND', 'RECORD_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
})
