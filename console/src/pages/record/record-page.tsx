import type { Stored, Table } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useTable } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Time } from '../../parts/data/time/time.tsx'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Menu } from '../../parts/layout/menu.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { AccessOfUser } from './access-of-user.tsx'
import { RecordEditor } from './record-editor.tsx'
import { RecordHistory } from './record-history.tsx'
import { changedFields, editableText } from './record-text.ts'

type Fields = Record<string, unknown>
type Version = { record: Stored<Fields>; etag: string }

export function Page() {
  const { table = '', recordId = '' } = useParams()
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('records', table, 'one', recordId),
    queryFn: ({ signal }) => surehook.table(table).getWithETag(recordId, { signal }),
    // A form that somebody fills in stays as it is.
    refetchOnWindowFocus: false,
  })
  const definition = useTable(table)
  return (
    <Frame
      title="Record"
      parent={{ to: `/tables/${table}`, label: table }}
      description={<code className="breakable">{recordId}</code>}
      actions={
        <>
          <ButtonLink icon="delivery" to={`/deliveries?recordId=${recordId}&table=${table}`}>
            Its deliveries
          </ButtonLink>
          <RecordMenu table={table} recordId={recordId} />
        </>
      }
    >
      <QueryView query={query}>
        {(version) => (
          <QueryView query={definition}>
            {(stored) => (
              <>
                <RecordView
                  key={version.etag}
                  table={stored}
                  version={version}
                  reload={() => void query.refetch()}
                />
                <AccessOfUser table={stored} recordId={recordId} />
              </>
            )}
          </QueryView>
        )}
      </QueryView>
      <RecordHistory table={table} recordId={recordId} />
    </Frame>
  )
}

type RecordViewProps = { table: Table; version: Version; reload: () => void }

function RecordView({ table, version, reload }: RecordViewProps) {
  const { surehook } = useApi()
  const { record, etag } = version
  const saving = useAction({
    run: (fields: Fields) =>
      surehook
        .table(table.name)
        .update(record.id, changedFields(record, fields), { ifMatch: etag }),
    done: () => 'Record changed',
    changes: ['records'],
  })
  return (
    <>
      <Card>
        <Facts
          items={[
            ['Created', <Time key="created" at={record.createdAt} />],
            ['Changed', <Time key="changed" at={record.updatedAt} />],
          ]}
        />
      </Card>
      <RecordEditor
        columns={table.columns}
        start={editableText(record)}
        hint="Saving sends what you changed. If somebody else changed the record first, nothing is saved."
        saving={saving}
        action="Save"
        reload={reload}
      />
    </>
  )
}

function RecordMenu({ table, recordId }: { table: string; recordId: string }) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const [isAsking, setAsking] = useState(false)
  const deleting = useAction({
    run: () => surehook.table(table).delete(recordId),
    done: () => 'Record deleted',
    changes: ['records'],
    after: () => void navigate(`/tables/${table}`),
  })
  return (
    <>
      <Menu
        label="More"
        items={[{ label: 'Delete', onSelect: () => setAsking(true), isDangerous: true }]}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete this record?"
        action="Delete the record"
        isDangerous
        running={deleting}
        onConfirm={() => deleting.mutate()}
      >
        <p>Webhooks of {table} get a DELETE event. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  )
}
