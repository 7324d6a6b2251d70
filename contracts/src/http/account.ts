import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { RuleCode } from '../violation-rules.ts'
import { nextCursor, page } from './admin/admin.ts'
import { change } from './admin/auth-settings.ts'
import {
  always,
  Message,
  newPassword,
  PersonName,
  PublicUser,
  password,
  tenantHeaders,
} from './auth.ts'

export const Me = PublicUser.extend({
  emailVerified: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe('When a public field of the user changed last'),
}).meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

export const UserSession = z
  .object({
    id: z.uuid().describe('The claim `sid` of its access tokens'),
    createdAt: z.iso.datetime().describe('When the user logged in'),
    lastUsedAt: z.iso.datetime().describe('When its tokens were refreshed last'),
    current: z.boolean().describe('The session of the access token of this call'),
  })
  .meta({ id: 'UserSession' })
export type UserSession = z.infer<typeof UserSession>

export const PublicSettings = z
  .object({
    emailVerification: z
      .boolean()
      .describe('A signup is confirmed with a mailed code before the first login'),
    encryptTokens: z.boolean().describe('Access tokens are encrypted (JWE)'),
    password: z.object({
      minLength: z.int().describe('Characters that a new password needs'),
      maxLength: z.int().describe('Characters that a new password may have'),
      minScore: z.int().describe('The zxcvbn score that a new password needs. 0: no check'),
      breachCheck: z.boolean().describe('Passwords known from a breach are refused'),
      rules: z.array(RuleCode).describe('Each `violations[].rule` that a new password can break'),
    }),
  })
  .meta({ id: 'PublicSettings' })
export type PublicSettings = z.infer<typeof PublicSettings>

const common = { tag: 'self-service', headers: tenantHeaders } as const
const own = { ...common, security: 'user' } as const
const byToken = [
  ...always,
  'AUTH_TOKEN_INVALID',
  'AUTH_TOKEN_EXPIRED',
  'RATE_LIMIT_EXCEEDED',
] as const

export const getMe = defineOperation({
  ...own,
  id: 'getMe',
  method: 'get',
  path: '/auth/me',
  summary: 'Get the own account',
  description: 'Returns the user of the access token as the user is now, roles included.',
  reply: { status: 200, schema: Me },
  errors: [...byToken],
})

export const updateMe = defineOperation({
  ...own,
  id: 'updateMe',
  method: 'patch',
  path: '/auth/me',
  summary: 'Change the own names',
  description:
    'Changes the names of the user of the access token. An absent name stays, and `null` ' +
    'clears it. A change is an UPDATE event of the table `users`.',
  body: z.strictObject({ firstName: change(PersonName), lastName: change(PersonName) }),
  reply: { status: 200, schema: Me },
  errors: [...byToken],
})

export const changePassword = defineOperation({
  ...own,
  id: 'changePassword',
  method: 'post',
  path: '/auth/change-password',
  summary: 'Change the own password',
  description:
    'Sets a new password if the old one is right, and ends every other session of the user. ' +
    'The session of the access token stays. A wrong old password counts as a failed login.',
  body: z.strictObject({
    oldPassword: password.describe('The current password'),
    newPassword: newPassword.describe('8 characters or more, and not a common one'),
  }),
  reply: { status: 200, schema: Message },
  errors: [...byToken, 'AUTH_INVALID_CREDENTIALS', 'AUTH_ACCOUNT_LOCKED'],
})

export const listSessions = defineOperation({
  ...own,
  id: 'listSessions',
  method: 'get',
  path: '/auth/sessions',
  summary: 'List the own sessions',
  description:
    'Returns the sessions of the user of the access token that have not ended, newest first. ' +
    'Pass `nextCursor` as `cursor` to read the next page.',
  query: page,
  reply: { status: 200, schema: z.object({ sessions: z.array(UserSession), nextCursor }) },
  errors: [...byToken],
})

export const endSession = defineOperation({
  ...own,
  id: 'endSession',
  method: 'delete',
  path: '/auth/sessions/{id}',
  summary: 'End one of the own sessions',
  description:
    "Ends a session of the user of the access token. Every service refuses the session's " +
    'tokens when you get the answer.',
  params: z.object({ id: z.string().describe('The id of the session') }),
  reply: { status: 204, schema: z.void() },
  errors: [...byToken, 'SESSION_NOT_FOUND'],
})

export const getAuthSettings = defineOperation({
  ...common,
  security: 'none',
  id: 'getAuthSettings',
  method: 'get',
  path: '/auth/settings',
  summary: 'Get the public settings',
  description:
    'Returns what a signup form needs to know of the environment: whether a code confirms the ' +
    'address, and the rules of passwords.',
  reply: { status: 200, schema: PublicSettings },
  errors: [...always],
})
