import { violationOf } from '../../parts/feedback/faults.ts'
import { TextField } from '../../parts/forms/field.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { emptyTable } from './table-draft.ts'
import { TableForm } from './table-form.tsx'
import { useTableForm } from './use-table-form.ts'

export function Page() {
  const { draft, setDraft, violations, saving } = useTableForm(emptyTable, 'Table created')
  return (
    <Frame title="New table" parent={{ to: '/tables', label: 'Tables' }}>
      <TableForm
        draft={draft}
        onChange={setDraft}
        violations={violations}
        saving={{ ...saving, label: 'Create the table' }}
        back="/tables"
        name={
          <Card>
            <TextField
              label="Name"
              name="name"
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value.trim() })}
              violation={violationOf(violations, 'name') ?? violationOf(violations, 'table')}
              hint="Lower case, such as orders or order_items."
            />
          </Card>
        }
      />
    </Frame>
  )
}
