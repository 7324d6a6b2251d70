import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { Violation } from '../../problem.ts'
import { ruled } from '../../violation-rules.ts'
import { Email, orDefault, PersonName } from '../auth.ts'
import { environmentPath, nextCursor, page } from './admin.ts'
import { change, RoleName } from './auth-settings.ts'
import { UserAttributes, UserAttributesInput } from './user-attributes.ts'

export const Role = z
  .object({
    id: z.uuid().describe('Signup takes it as `roleId`'),
    name: RoleName,
    selfAssignable: z.boolean().describe('Users may choose it at signup'),
  })
  .meta({ id: 'Role' })
export type Role = z.infer<typeof Role>

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length
const roleNames = z.array(RoleName).max(100).refine(isUnique, ruled('each role once', 'repeated'))

export const UserAccount = z
  .object({
    id: z.uuid(),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    roles: z.array(z.string()),
    emailVerified: z.boolean(),
    disabled: z.boolean(),
    attributes: UserAttributes,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'UserAccount' })
export type UserAccount = z.infer<typeof UserAccount>

export const UserChange = z
  .strictObject({
    firstName: change(PersonName),
    lastName: change(PersonName),
    roles: change(roleNames),
    disabled: change(z.boolean()),
    emailVerified: change(z.boolean()),
    attributes: change(UserAttributesInput),
  })
  .meta({ id: 'UserChange' })
export type UserChange = z.infer<typeof UserChange>

/** One element of an import. A fault of one element does not reject the others. */
export const ImportedUser = z.strictObject({
  email: Email,
  passwordHash: z
    .string()
    .max(512)
    .describe(
      'bcrypt of 4 to 14 rounds, or a PHC string of argon2id up to m=65536 (KiB), t=4, p=4',
    ),
  firstName: orDefault(PersonName, ''),
  lastName: orDefault(PersonName, ''),
  roles: orDefault(roleNames, []),
  emailVerified: orDefault(z.boolean(), true),
  attributes: orDefault(UserAttributesInput, {}),
})
export type ImportedUser = z.infer<typeof ImportedUser>

export const userPath = environmentPath.extend({ id: z.string().describe('The id of the user') })
const environmentUrl = '/auth/admin/projects/{project}/environments/{environment}'
export const usersUrl = `${environmentUrl}/users` as const
export const userOperation = {
  tag: 'users',
  security: 'adminOrManagement',
  right: 'users',
} as const
const always = [
  'VALIDATION_ERROR',
  'ADMIN_TOKEN_INVALID',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
  'SERVICE_UNAVAILABLE',
] as const
export const ofUser = [...always, 'USER_NOT_FOUND'] as const

export const createRole = defineOperation({
  ...userOperation,
  id: 'createRole',
  method: 'post',
  path: `${environmentUrl}/roles`,
  summary: 'Create a role',
  description: 'Creates a role of the environment. Tables grant access to roles by name.',
  params: environmentPath,
  body: z.strictObject({ name: RoleName, selfAssignable: orDefault(z.boolean(), false) }),
  reply: { status: 201, schema: Role },
  errors: [...always, 'CONFLICT'],
})

export const listRoles = defineOperation({
  ...userOperation,
  id: 'listRoles',
  method: 'get',
  path: `${environmentUrl}/roles`,
  summary: 'List roles',
  description:
    'Returns the roles of the environment, sorted by name. Pass `nextCursor` as `cursor` to ' +
    'read the next page.',
  params: environmentPath,
  query: page,
  reply: { status: 200, schema: z.object({ roles: z.array(Role), nextCursor }) },
  errors: [...always],
})

export const listUsers = defineOperation({
  ...userOperation,
  id: 'listUsers',
  method: 'get',
  path: usersUrl,
  summary: 'List users',
  description:
    'Returns the users of the environment, newest first. Pass `email` to find one user. Pass ' +
    '`nextCursor` as `cursor` to read the next page.',
  params: environmentPath,
  query: page.extend({ email: Email.optional().describe('Only the user with this address') }),
  reply: { status: 200, schema: z.object({ users: z.array(UserAccount), nextCursor }) },
  errors: [...always],
})

export const getUser = defineOperation({
  ...userOperation,
  id: 'getUser',
  method: 'get',
  path: `${usersUrl}/{id}`,
  summary: 'Get a user',
  description: 'Returns one user of the environment with its roles, flags and attributes.',
  params: userPath,
  reply: { status: 200, schema: UserAccount },
  errors: [...ofUser],
})

export const updateUser = defineOperation({
  ...userOperation,
  id: 'updateUser',
  method: 'patch',
  path: `${usersUrl}/{id}`,
  summary: 'Change a user',
  description:
    'Changes names, roles, attributes, or the flags `disabled` and `emailVerified`. Absent ' +
    'fields keep their values. Every session of the user ends when you disable the user or set ' +
    '`emailVerified` to false.',
  params: userPath,
  body: UserChange,
  reply: { status: 200, schema: UserAccount },
  errors: [...ofUser],
})

export const deleteUser = defineOperation({
  ...userOperation,
  id: 'deleteUser',
  method: 'delete',
  path: `${usersUrl}/{id}`,
  summary: 'Delete a user',
  description: 'Deletes the user and ends every session of the user.',
  params: userPath,
  reply: { status: 204, schema: z.void() },
  errors: [...ofUser],
})

export const logoutUser = defineOperation({
  ...userOperation,
  id: 'logoutUser',
  method: 'post',
  path: `${usersUrl}/{id}/logout`,
  summary: 'Log a user out',
  description:
    'Ends every session of the user. Every service refuses their access tokens when you get ' +
    'the answer.',
  params: userPath,
  reply: { status: 204, schema: z.void() },
  errors: [...ofUser],
})

export const unlockUser = defineOperation({
  ...userOperation,
  id: 'unlockUser',
  method: 'post',
  path: `${usersUrl}/{id}/unlock`,
  summary: 'Unlock a user',
  description: 'Ends every lock that failed logins set on the account.',
  params: userPath,
  reply: { status: 204, schema: z.void() },
  errors: [...ofUser],
})

export const importUsers = defineOperation({
  ...userOperation,
  id: 'importUsers',
  method: 'post',
  path: `${usersUrl}/import`,
  summary: 'Import users',
  description:
    'Creates up to 1,000 users with their existing password hashes (argon2id or bcrypt). Each ' +
    'user is checked alone. `failed` names each refused user by its index in the request.',
  params: environmentPath,
  body: z.strictObject({
    users: z
      .array(
        z
          .unknown()
          .describe(
            '`email`, `passwordHash` (argon2id or bcrypt), and optionally `firstName`, ' +
              '`lastName`, `roles`, `attributes`, `emailVerified` (default true)',
          ),
      )
      .min(1)
      .max(1000),
  }),
  reply: {
    status: 200,
    schema: z.object({
      imported: z.int(),
      failed: z.array(z.object({ index: z.int(), violations: z.array(Violation) })),
    }),
  },
  errors: [...always],
})
