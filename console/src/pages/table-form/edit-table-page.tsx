import type { Table } from '@surehook/client'
import { useParams } from 'react-router'
import { useTable } from '../../api/queries.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { tableDraftOf } from './table-draft.ts'
import { TableForm } from './table-form.tsx'
import { useTableForm } from './use-table-form.ts'

export function Page() {
  const { table = '' } = useParams()
  const query = useTable(table)
  return (
    <Frame
      title={`Define ${table}`}
      parent={{ to: `/tables/${table}`, label: table }}
      description="You may add columns, and take away “required” and “unique”. Records stay as they are."
    >
      <QueryView query={query}>
        {(stored) => <EditForm key={stored.name} stored={stored} />}
      </QueryView>
    </Frame>
  )
}

function EditForm({ stored }: { stored: Table }) {
  const form = useTableForm(tableDraftOf(stored), 'Table changed')
  return (
    <TableForm
      draft={form.draft}
      onChange={form.setDraft}
      violations={form.violations}
      saving={{ ...form.saving, label: 'Save the table' }}
      back={`/tables/${stored.name}`}
    />
  )
}
