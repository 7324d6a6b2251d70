import type { UserAccount } from '@surehook/client'
import { adminCommand, limitOption, showList } from '../../admin/admin-command.ts'
import { UsageError } from '../../cli/command.ts'
import { objectOf } from '../../lib/input/option-values.ts'
import { showDone, showFields } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'

const one = ['project', 'environment', 'id']

export const userCommands = [
  adminCommand({
    name: 'admin users list',
    summary: 'List the users of an environment, newest first',
    positionals: ['project', 'environment'],
    options: {
      email: { type: 'string', value: 'address', help: 'only the user with this address' },
      ...limitOption,
    },
    act({ values, admin, request }) {
      const { email } = values
      const iterate = (page: { limit: number }) =>
        admin.users.iterate({ ...page, ...(email !== undefined && { email }) }, request)
      return showList('users', { values, iterate }, (user) => ({
        id: user.id,
        email: user.email,
        name: cellOf(
          [user.firstName, user.lastName].filter((part) => part !== '').join(' ') || null,
        ),
        roles: cellOf(user.roles),
        verified: String(user.emailVerified),
        disabled: String(user.disabled),
      }))
    },
  }),
  adminCommand({
    name: 'admin users get',
    summary: 'Show one user',
    positionals: one,
    options: {},
    async act({ words: { id }, admin, request }) {
      return showFields(await admin.users.get(id, request))
    },
  }),
  adminCommand({
    name: 'admin users patch',
    summary: 'Change the names, the roles, the attributes or the state of a user',
    positionals: one,
    options: {
      'first-name': { type: 'string', help: 'the new name. An empty text clears it' },
      'last-name': { type: 'string', help: 'the new name. An empty text clears it' },
      role: {
        type: 'string',
        value: 'name',
        multiple: true,
        help: 'a role of the user. Replaces all roles',
      },
      'no-roles': { type: 'boolean', help: 'remove every role' },
      attributes: {
        type: 'string',
        value: 'json',
        help: 'an object such as {"team":"north"}. Replaces all attributes',
      },
      disabled: {
        type: 'string',
        value: 'true|false',
        help: 'true disables the user and ends every session',
      },
      'email-verified': {
        type: 'string',
        value: 'true|false',
        help: 'true confirms the address, false ends every session',
      },
    },
    async act({ words: { id }, values, admin, request }) {
      const { 'first-name': firstName, 'last-name': lastName, role } = values
      const { 'email-verified': emailVerified, attributes } = values
      const hasRoles = role.length > 0 || values['no-roles']
      const body = {
        ...(firstName !== undefined && { firstName }),
        ...(lastName !== undefined && { lastName }),
        ...(hasRoles && { roles: [...role] }),
        // The API checks the values, and names each fault.
        ...(attributes !== undefined && {
          attributes: objectOf('attributes', attributes) as UserAccount['attributes'],
        }),
        ...(values.disabled !== undefined && { disabled: truthOf('disabled', values.disabled) }),
        ...(emailVerified !== undefined && {
          emailVerified: truthOf('email-verified', emailVerified),
        }),
      }
      return showFields(await admin.users.update(id, body, request))
    },
  }),
  adminCommand({
    name: 'admin users delete',
    summary: 'Delete a user and end every session',
    positionals: one,
    options: {},
    async act({ words: { id }, admin, request }) {
      await admin.users.delete(id, request)
      return showDone(`user ${id} is deleted`)
    },
  }),
  adminCommand({
    name: 'admin users logout',
    summary: 'End every session of a user',
    positionals: one,
    options: {},
    async act({ words: { id }, admin, request }) {
      await admin.users.logout(id, request)
      return showDone(`user ${id} is logged out everywhere`)
    },
  }),
  adminCommand({
    name: 'admin users unlock',
    summary: 'Unlock a user after failed logins',
    positionals: one,
    options: {},
    async act({ words: { id }, admin, request }) {
      await admin.users.unlock(id, request)
      return showDone(`user ${id} is unlocked`)
    },
  }),
]

function truthOf(option: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`--${option}: true or false, not "${text}"`)
}
