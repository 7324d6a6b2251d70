import { adminCommand, limitOption, showList } from '../../admin/admin-command.ts'
import { cellOf } from '../../output/text-table.ts'

export const projectCommands = [
  adminCommand({
    name: 'admin projects list',
    summary: 'List projects and their environments',
    options: limitOption,
    act({ values, admin, request }) {
      const iterate = (page: { limit: number }) => admin.projects.iterate(page, request)
      return showList('projects', { values, iterate }, ({ id, environments, createdAt }) => ({
        project: id,
        environments: cellOf(environments),
        created: createdAt,
      }))
    },
  }),
]
