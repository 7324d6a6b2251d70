import {
  createManagementToken,
  deleteManagementToken,
  listManagementTokens,
} from '@surehook/contracts/http/admin/admin'
import { adminCommand, showDone, showList, showThing } from '../../admin/admin-command.ts'
import { limitOption, readPages } from '../../admin/read-pages.ts'
import { cellOf } from '../../lib/text-table.ts'

export const tokenCommands = [
  adminCommand({
    name: 'admin tokens create',
    summary: 'Make a management token; it is shown this once',
    positionals: ['project'],
    options: {
      name: { type: 'string', required: true, help: 'what it is for' },
      environment: {
        type: 'string',
        value: 'name',
        multiple: true,
        help: 'that it is for; all without',
      },
      'expires-at': { type: 'string', value: 'time', help: 'when it ends: 2027-01-31T12:00:00Z' },
    },
    async act({ words: { project }, values }, ask) {
      const { name, environment: environments, 'expires-at': expiresAt } = values
      const body = {
        name,
        ...(environments.length > 0 && { environments: [...environments] }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      return showThing(await ask(createManagementToken, { params: { project }, body }))
    },
  }),
  adminCommand({
    name: 'admin tokens list',
    summary: 'List the management tokens of a project, without the tokens themselves',
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
        created: token.createdAt,
        expires: cellOf(token.expiresAt),
      }))
    },
  }),
  adminCommand({
    name: 'admin tokens delete',
    summary: 'Revoke a management token, everywhere within a second',
    positionals: ['project', 'id'],
    options: {},
    async act({ words: { project, id } }, ask) {
      await ask(deleteManagementToken, { params: { project, id } })
      return showDone(`token ${id} is revoked`)
    },
  }),
]
