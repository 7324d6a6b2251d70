import type { ManagementToken, NewToken } from '@surehook/client'
import { adminCommand, limitOption, showList } from '../../admin/admin-command.ts'
import { showDone, showFields } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'

const environmentsOf = ({ environments }: Pick<ManagementToken, 'environments'>): string =>
  environments === null ? 'all' : cellOf(environments)

export const tokenCommands = [
  adminCommand({
    name: 'admin tokens create',
    summary: 'Create a management token, which only this output shows',
    positionals: ['project'],
    options: {
      name: { type: 'string', required: true, help: 'a name that says its purpose' },
      environment: {
        type: 'string',
        value: 'name',
        multiple: true,
        help: 'an environment that it manages. Default: all',
      },
      rights: {
        type: 'string',
        value: 'list',
        help: 'what it may be used for, such as records,tables. Default: everything',
      },
      'expires-at': {
        type: 'string',
        value: 'time',
        help: 'when the token expires, such as 2027-01-31T12:00:00Z',
      },
    },
    async act({ values, admin, request }) {
      const { name, environment: environments, rights, 'expires-at': expiresAt } = values
      const body = {
        name,
        ...(environments.length > 0 && { environments: [...environments] }),
        ...(rights !== undefined && { rights: rights.split(',') as NewToken['rights'] & string[] }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      const token = await admin.tokens.create(body, request)
      return showFields(token, { ...token, environments: environmentsOf(token) })
    },
  }),
  adminCommand({
    name: 'admin tokens list',
    summary: 'List the management tokens of a project',
    positionals: ['project'],
    options: limitOption,
    act({ values, admin, request }) {
      const iterate = (page: { limit: number }) => admin.tokens.iterate(page, request)
      return showList('tokens', { values, iterate }, (token) => ({
        id: token.id,
        name: token.name,
        environments: environmentsOf(token),
        rights: cellOf(token.rights),
        created: token.createdAt,
        expires: cellOf(token.expiresAt),
      }))
    },
  }),
  adminCommand({
    name: 'admin tokens delete',
    summary: 'Revoke a management token',
    positionals: ['project', 'id'],
    options: {},
    async act({ words: { id }, admin, request }) {
      await admin.tokens.delete(id, request)
      return showDone(`token ${id} is revoked`)
    },
  }),
]
