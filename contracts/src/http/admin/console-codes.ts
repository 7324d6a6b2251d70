import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { refused } from './admin.ts'

const sessionOf = {
  kind: z
    .enum(['developer', 'operator'])
    .describe('`developer` for a management token, `operator` for the administration token'),
  project: ProjectId.nullable().describe('null for the operator'),
  environment: EnvironmentName.nullable().describe('null for the operator'),
}

export const ConsoleSession = z
  .object({
    ...sessionOf,
    token: z
      .string()
      .describe(
        'The management token that made the code. For the operator a token that reads for an hour',
      ),
  })
  .meta({ id: 'ConsoleSession' })
export type ConsoleSession = z.infer<typeof ConsoleSession>

export const ConsoleCode = z
  .object({
    code: z.string().describe('Open `/console/#code=…` with it. Only this answer shows it'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'ConsoleCode' })
export type ConsoleCode = z.infer<typeof ConsoleCode>

const errors = ['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'] as const

export const createConsoleCode = defineOperation({
  tag: 'console',
  security: 'adminOrAnyManagement',
  id: 'createConsoleCode',
  method: 'post',
  path: '/auth/console-codes',
  summary: 'Create a one-time code for the web console',
  description:
    'Makes a code that opens the web console signed in. A code of a management token opens a ' +
    'session with it, a code of the administration token one that only reads, for an hour. The ' +
    'code works once, within 30 seconds. A management token names its project; the administration ' +
    'token names none. The command `surehook console` makes this call.',
  body: z.strictObject({
    project: ProjectId.optional().describe('Required with a management token'),
    environment: EnvironmentName.optional().describe(
      'An environment of the project. Default: `master`',
    ),
  }),
  reply: { status: 201, schema: ConsoleCode },
  errors: [...errors, ...refused, 'ENVIRONMENT_NOT_FOUND'],
})

export const redeemConsoleCode = defineOperation({
  tag: 'console',
  security: 'none',
  id: 'redeemConsoleCode',
  method: 'post',
  path: '/auth/console-codes/redeem',
  summary: 'Redeem a one-time code',
  description:
    'Returns a token, and what it is for: the management token that made the code, or for the ' +
    'operator a token that reads for an hour. The first call ends the code. ' +
    'The answer is the same for a code that is wrong, expired or used, and for one whose token ' +
    'was revoked. The web console makes this call.',
  body: z.strictObject({ code: z.string().min(1).max(128) }),
  reply: { status: 200, schema: ConsoleSession },
  errors: [...errors, 'AUTH_INVALID_CODE'],
})
