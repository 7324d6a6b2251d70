import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { nextCursor, page } from './admin.ts'
import { ofUser, userOperation, userPath, usersUrl } from './users.ts'

export const OpenSession = z
  .object({
    id: z.uuid().describe('The claim `sid` of its access tokens'),
    createdAt: z.iso.datetime().describe('When the user logged in'),
    lastUsedAt: z.iso.datetime().describe('When its tokens were refreshed last'),
    expiresAt: z.iso.datetime().describe('When it ends, unless its tokens are refreshed before'),
  })
  .meta({ id: 'OpenSession' })
export type OpenSession = z.infer<typeof OpenSession>

export const UserLock = z
  .object({
    lockedUntil: z.iso
      .datetime()
      .nullable()
      .describe('When the last lock ends. null if the user is not locked'),
    locks: z
      .array(
        z.object({
          client: z
            .string()
            .nullable()
            .describe(
              'The address or network that may not log in. null: only clients may that the user has ' +
                'logged in from',
            ),
          lockedUntil: z.iso.datetime().describe('When the lock ends'),
        }),
      )
      .describe('The locks, the longest first'),
  })
  .meta({ id: 'UserLock' })
export type UserLock = z.infer<typeof UserLock>

export const listUserSessions = defineOperation({
  ...userOperation,
  id: 'listUserSessions',
  method: 'get',
  path: `${usersUrl}/{id}/sessions`,
  summary: 'List the sessions of a user',
  description:
    'Returns the sessions of the user that have not ended, newest first. Pass `nextCursor` as ' +
    '`cursor` to read the next page.',
  params: userPath,
  query: page,
  reply: { status: 200, schema: z.object({ sessions: z.array(OpenSession), nextCursor }) },
  errors: [...ofUser],
})

export const endUserSession = defineOperation({
  ...userOperation,
  id: 'endUserSession',
  method: 'delete',
  path: `${usersUrl}/{id}/sessions/{sessionId}`,
  summary: 'End one session of a user',
  description:
    "Ends one session of the user. Every service refuses the session's tokens when you get the " +
    'answer.',
  params: userPath.extend({ sessionId: z.string().describe('The id of the session') }),
  reply: { status: 204, schema: z.void() },
  errors: [...ofUser, 'SESSION_NOT_FOUND'],
})

export const getUserLock = defineOperation({
  ...userOperation,
  id: 'getUserLock',
  method: 'get',
  path: `${usersUrl}/{id}/lock`,
  summary: 'Get the lock of a user',
  description:
    'Tells until when failed logins lock the account, and for which clients. `POST …/unlock` ' +
    'ends every lock.',
  params: userPath,
  reply: { status: 200, schema: UserLock },
  errors: [...ofUser],
})
