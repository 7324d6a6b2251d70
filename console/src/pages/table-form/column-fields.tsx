import type { Violation } from '@surehook/client'
import { violationOf } from '../../parts/feedback/faults.ts'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { type ColumnDraft, columnTypes } from './table-draft.ts'

type ColumnFieldsProps = {
  index: number
  column: ColumnDraft
  violations: readonly Violation[]
  onChange: (column: ColumnDraft) => void
  onRemove: () => void
}

export function ColumnFields({ index, column, violations, ...does }: ColumnFieldsProps) {
  const { onChange, onRemove } = does
  const faultAt = (name: string) => violationOf(violations, `columns.${index}.${name}`)
  return (
    <fieldset className="column-fields">
      <legend className="visually-hidden">Column {column.name || index + 1}</legend>
      <TextField
        label="Name"
        value={column.name}
        readOnly={column.isStored}
        onChange={(event) => onChange({ ...column, name: event.target.value.trim() })}
        violation={faultAt('name')}
      />
      <SelectField
        label="Type"
        value={column.type}
        disabled={column.isStored}
        onChange={({ target }) => {
          const type = columnTypes.find((one) => one === target.value)
          if (type !== undefined) onChange({ ...column, type })
        }}
        violation={faultAt('type')}
      >
        {columnTypes.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <TextField
        label="Default"
        value={column.default}
        onChange={(event) => onChange({ ...column, default: event.target.value })}
        violation={faultAt('default')}
      />
      <div className="column-checks">
        <CheckField
          label="Required"
          checked={column.required}
          onChange={(event) => onChange({ ...column, required: event.target.checked })}
        />
        <CheckField
          label="Unique"
          checked={column.unique}
          onChange={(event) => onChange({ ...column, unique: event.target.checked })}
        />
        {!column.isStored && (
          <Button look="ghost" icon="close" onClick={onRemove}>
            Remove<span className="visually-hidden"> column {column.name || index + 1}</span>
          </Button>
        )}
      </div>
    </fieldset>
  )
}
