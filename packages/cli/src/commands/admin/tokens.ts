import {
  createManagementToken,
  deleteManagementToken,
  listManagementTokens,
} from '@surehook/contracts/http/admin/admin'
import type { ManagementRight } from '@surehook/contracts/rights'
import { adminCommand, showDone, showList, showThing } from '../../admin/admin-command.ts'
import { limitOption, readPages } from '../../admin/read-pages.ts'
import { cellOf } from '../../output/text-table.ts'

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
    async act({ words: { project }, values }, ask) {
      const { name, environment: environments, rights, 'expires-at': expiresAt } = values
      const body = {
        name,
        ...(environments.length > 0 && { environments: [...environments] }),
        ...(rights !== undefined && { rights: rights.split(',') as ManagementRight[] }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      return showThing(await ask(createManagementToken, { params: { project }, body }))
    },
  }),
  adminCommand({
    name: 'admin tokens list',
    summary: 'List the management tokens of a project',
    positionals: ['project'],
    options: limitOption,
    async act({ words: { project }, values }, ask) {
      const found = await readPages(values.limit, async (query) => {
        const page = await ask(listManagementTokens, { params: { project }, query })
        return { items: page.tokens, nextCursor: page.nextCursor }
      })
      return showList({ name: 'tokens', ...found }, (token) => ({
        id: token.id,
        name: token.name,
        environments: token.environments === null ? 'all' : cellOf(token.environments),
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
    async act({ words: { project, id } }, ask) {
      await ask(deleteManagementToken, { params: { project, id } })
      return showDone(`token ${id} is revoked`)
    },
  }),
]
