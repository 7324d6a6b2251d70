import type { Project } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { ListSearch, useListSearch } from '../../parts/data/tables/list-search.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState, NothingFound } from '../../parts/feedback/empty-state.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { TypedConfirmDialog } from '../../parts/feedback/typed-confirm-dialog.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { RowMenu } from '../../parts/layout/menu.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { NewProjectDialog } from './new-project-dialog.tsx'

const columns: readonly Column<Project>[] = [
  { id: 'project', header: 'Project', cell: ({ id }) => <code>{id}</code>, isTitle: true },
  {
    id: 'environments',
    header: 'Environments',
    cell: ({ id, environments }) => (
      <span className="row">
        {environments.map((environment) => (
          <Link key={environment} to={`/operator/projects/${id}/environments/${environment}`}>
            {environment}
          </Link>
        ))}
      </span>
    ),
  },
  {
    id: 'tokens',
    header: 'Access',
    cell: ({ id }) => <Link to={`/operator/projects/${id}/tokens`}>Management tokens</Link>,
  },
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'action',
    header: 'Actions',
    cell: ({ id }) => <ProjectMenu project={id} />,
    align: 'end',
  },
]

const idOf = ({ id }: Project) => id

export function Page() {
  const { surehook, keyOf } = useApi()
  const asked = useListSearch()
  const query = useQuery({
    queryKey: keyOf('projects', asked),
    queryFn: ({ signal }) => surehook.admin.projects.list(asked, { signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Frame
      title="Projects"
      description="The projects of this installation."
      actions={<NewProject />}
    >
      <ListSearch
        label="Search projects"
        violation={violationOf(faultOf(query.error).violations, 'search')}
      />
      <QueryView query={query}>
        {({ projects, nextCursor }) => (
          <Card isFlush>
            {projects.length === 0 ? (
              <NoProjects search={asked.search} />
            ) : (
              <DataTable label="Projects" columns={columns} rows={projects} idOf={idOf} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </QueryView>
    </Frame>
  )
}

function NewProject() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
        New project
      </Button>
      {isOpen && <NewProjectDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function NoProjects({ search }: { search: string | undefined }) {
  if (search !== undefined) {
    return <NothingFound title="No project has this in its name" all="Show all projects" />
  }
  return (
    <EmptyState icon="project" title="No projects yet" action={<NewProject />}>
      <p>A project holds the tables, users and webhooks of one application.</p>
    </EmptyState>
  )
}

function ProjectMenu({ project }: { project: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <RowMenu
        label={`Actions of ${project}`}
        items={[
          { label: 'Delete the project', onSelect: () => setAsking(true), isDangerous: true },
        ]}
      />
      {isAsking && <DeleteDialog project={project} onClose={() => setAsking(false)} />}
    </>
  )
}

function DeleteDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const { surehook } = useApi()
  const deleting = useAction({
    run: () => surehook.admin.projects.delete(project),
    done: () => `${project} is being deleted`,
    changes: ['projects', 'environments', 'tokens'],
    after: onClose,
  })
  return (
    <TypedConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${project}?`}
      action="Delete the project"
      name={project}
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      <p>
        This revokes the management tokens of the project at once and deletes every environment with
        its data. It cannot be undone.
      </p>
    </TypedConfirmDialog>
  )
}
