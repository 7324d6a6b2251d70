import { adminCommand, limitOption, showList } from '../../admin/admin-command.ts'
import { showFields } from '../../output/shown.ts'

export const roleCommands = [
  adminCommand({
    name: 'admin roles create',
    summary: 'Create a role',
    positionals: ['project', 'environment', 'name'],
    options: {
      'self-assignable': { type: 'boolean', help: 'users may choose it at signup' },
    },
    async act({ words: { name }, values, admin, request }) {
      const body = { name, selfAssignable: values['self-assignable'] }
      return showFields(await admin.roles.create(body, request))
    },
  }),
  adminCommand({
    name: 'admin roles list',
    summary: 'List the roles of an environment',
    positionals: ['project', 'environment'],
    options: limitOption,
    act({ values, admin, request }) {
      const iterate = (page: { limit: number }) => admin.roles.iterate(page, request)
      return showList('roles', { values, iterate }, ({ id, name, selfAssignable }) => ({
        id,
        name,
        'self-assignable': String(selfAssignable),
      }))
    },
  }),
]
