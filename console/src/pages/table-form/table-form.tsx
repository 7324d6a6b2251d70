import type { Violation } from '@surehook/client'
import type { FormEvent, ReactNode } from 'react'
import { violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { ColumnFields } from './column-fields.tsx'
import { actions, type ColumnDraft, newColumn, type TableDraft } from './table-draft.ts'
import './table-form.css'

type TableFormProps = {
  draft: TableDraft
  onChange: (draft: TableDraft) => void
  violations: readonly Violation[]
  saving: { isPending: boolean; error: unknown; label: string; run: () => void }
  back: string
  /** Before the columns: only a new table gets a name. */
  name?: ReactNode
}

export function TableForm({ draft, onChange, violations, saving, back, name }: TableFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.run()
  }
  return (
    <form className="stack" onSubmit={submit} noValidate>
      {name}
      <Card title="Columns">
        <Columns
          columns={draft.columns}
          violations={violations}
          onChange={(columns) => onChange({ ...draft, columns })}
        />
      </Card>
      <Card title="Access of users">
        <div className="stack">
          <p className="quiet">
            Name the roles that may do each action, separated by commas. Management tokens with the
            right <code>records</code> may do all of them.
          </p>
          <div className="access-fields">
            {actions.map((action) => (
              <TextField
                key={action}
                label={`${action[0]?.toUpperCase()}${action.slice(1)}`}
                value={draft.access[action]}
                onChange={({ target }) =>
                  onChange({ ...draft, access: { ...draft.access, [action]: target.value } })
                }
                violation={violationOf(violations, `access.${action}`)}
              />
            ))}
          </div>
        </div>
      </Card>
      {saving.error !== null && <FaultNotice error={saving.error} />}
      <FormActions action={saving.label} isPending={saving.isPending} back={back} />
    </form>
  )
}

type ColumnsProps = {
  columns: readonly ColumnDraft[]
  violations: readonly Violation[]
  onChange: (columns: readonly ColumnDraft[]) => void
}

function Columns({ columns, violations, onChange }: ColumnsProps) {
  return (
    <div className="stack">
      <p className="quiet">
        Every record also has <code>id</code>, <code>createdAt</code> and <code>updatedAt</code>.
      </p>
      {columns.map((column, index) => (
        <ColumnFields
          key={column.key}
          index={index}
          column={column}
          violations={violations}
          onChange={(changed) => onChange(columns.with(index, changed))}
          onRemove={() => onChange(columns.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...columns, newColumn(columns)])}>
          Add a column
        </Button>
      </div>
    </div>
  )
}
