import { listProjects } from '@surehook/contracts/http/admin/admin'
import { adminCommand, showList } from '../../admin/admin-command.ts'
import { limitOption, readPages } from '../../admin/read-pages.ts'
import { cellOf } from '../../output/text-table.ts'

export const projectCommands = [
  adminCommand({
    name: 'admin projects list',
    summary: 'List projects and their environments',
    options: limitOption,
    async act({ values }, ask) {
      const found = await readPages(values.limit, async (query) => {
        const { projects, nextCursor } = await ask(listProjects, { query })
        return { items: projects, nextCursor }
      })
      return showList({ name: 'projects', ...found }, ({ id, environments, createdAt }) => ({
        project: id,
        environments: cellOf(environments),
        created: createdAt,
      }))
    },
  }),
]
