import type { Project } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { type Column, DataTable } from '../../parts/data/data-table.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'

const columns: readonly Column<Project>[] = [
  { id: 'project', header: 'Project', cell: ({ id }) => <code>{id}</code> },
  {
    id: 'environments',
    header: 'Environments',
    cell: ({ environments }) => environments.join(', '),
  },
]

const idOf = ({ id }: Project) => id

export function Page() {
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('projects'),
    queryFn: ({ signal }) => surehook.admin.projects.list({}, { signal }),
  })
  return (
    <Frame title="Projects" description="The projects of this installation.">
      <QueryView query={query}>
        {({ projects }) => (
          <Card isFlush>
            {projects.length === 0 ? (
              <EmptyState icon="project" title="No projects yet" command={createCommand()} />
            ) : (
              <DataTable label="Projects" columns={columns} rows={projects} idOf={idOf} />
            )}
          </Card>
        )}
      </QueryView>
    </Frame>
  )
}

const createCommand = () =>
  [
    `curl -X PUT ${window.location.origin}/auth/admin/projects/shop/environments/master \\`,
    `  -H "Authorization: Bearer $ADMIN_TOKEN" -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n')
