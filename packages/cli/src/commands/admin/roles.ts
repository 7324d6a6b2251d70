import { createRole, listRoles } from '@surehook/contracts/http/admin/users'
import { adminCommand, showList, showThing } from '../../admin/admin-command.ts'
import { limitOption, readPages } from '../../admin/read-pages.ts'

export const roleCommands = [
  adminCommand({
    name: 'admin roles create',
    summary: 'Create a role',
    positionals: ['project', 'environment', 'name'],
    options: {
      'self-assignable': { type: 'boolean', help: 'users may choose it at signup' },
    },
    async act({ words: { project, environment, name }, values }, ask) {
      const body = { name, selfAssignable: values['self-assignable'] }
      return showThing(await ask(createRole, { params: { project, environment }, body }))
    },
  }),
  adminCommand({
    name: 'admin roles list',
    summary: 'List the roles of an environment',
    positionals: ['project', 'environment'],
    options: limitOption,
    async act({ words: { project, environment }, values }, ask) {
      const found = await readPages(values.limit, async (query) => {
        const page = await ask(listRoles, { params: { project, environment }, query })
        return { items: page.roles, nextCursor: page.nextCursor }
      })
      return showList({ name: 'roles', ...found }, ({ id, name, selfAssignable }) => ({
        id,
        name,
        'self-assignable': String(selfAssignable),
      }))
    },
  }),
]
