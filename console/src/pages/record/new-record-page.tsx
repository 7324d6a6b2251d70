import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useTable } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { RecordEditor } from './record-editor.tsx'

export function Page() {
  const { table = '' } = useParams()
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const query = useTable(table)
  const back = `/tables/${table}`
  const saving = useAction({
    run: (fields: Record<string, unknown>) => surehook.table(table).create(fields),
    done: () => 'Record created',
    changes: ['records'],
    after: ({ id }) => void navigate(`${back}/records/${id}`),
  })
  return (
    <Frame title={`New record of ${table}`} parent={{ to: back, label: table }}>
      <QueryView query={query}>
        {(stored) => (
          <RecordEditor
            columns={stored.columns}
            start="{}"
            isNew
            saving={saving}
            action="Create the record"
            back={back}
          />
        )}
      </QueryView>
    </Frame>
  )
}
