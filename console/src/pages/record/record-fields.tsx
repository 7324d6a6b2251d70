import type { Table, Violation } from '@surehook/client'
import { violationOf } from '../../parts/feedback/faults.ts'
import { TypedControl } from '../../parts/filter/typed-control.tsx'
import { type ControlProps, Field } from '../../parts/forms/field.tsx'
import type { JsonObject } from '../../parts/forms/json-object.ts'
import { controlOf, hintOf, scalarOf, unsetOf, withField } from './field-values.ts'
import { JsonControl } from './json-control.tsx'
import './record-fields.css'

type Column = Table['columns'][number]

type RecordFieldsProps = {
  columns: readonly Column[]
  fields: JsonObject
  onChange: (fields: JsonObject) => void
  violations: readonly Violation[]
  /** Learns that the text of a column is no JSON, or that it is again. */
  onBroken: (name: string, isBroken: boolean) => void
  /** A new record takes the default of a column that has no value. */
  isNew: boolean
}

/** A control for each column. */
export function RecordFields(props: RecordFieldsProps) {
  const { columns, fields, onChange, violations, onBroken, isNew } = props
  return (
    <div className="record-fields">
      {columns.map((column) => (
        <Field
          key={column.name}
          label={column.name}
          hint={hintOf(column, isNew)}
          violation={violationOf(violations, column.name)}
        >
          {(control) => (
            <ColumnControl
              control={{ ...control, className: 'control' }}
              column={column}
              value={fields[column.name]}
              unset={unsetOf(column, isNew)}
              onChange={(value) => onChange(withField(fields, column.name, value))}
              onBroken={(isBroken) => onBroken(column.name, isBroken)}
            />
          )}
        </Field>
      ))}
    </div>
  )
}

type ColumnControlProps = {
  control: ControlProps & { className: string }
  column: Column
  /** Undefined: the record has none yet. */
  value: unknown
  /** The value of an empty control. */
  unset: '' | null | undefined
  onChange: (value: unknown) => void
  onBroken: (isBroken: boolean) => void
}

function ColumnControl(props: ColumnControlProps) {
  const { control, column, value, unset, onChange, onBroken } = props
  const kind = controlOf(column.type)
  const change = (next: unknown) => onChange(next === '' ? unset : next)
  if (kind === 'json') {
    return <JsonControl {...{ control, value, onBroken }} onChange={change} />
  }
  if (kind === 'boolean') {
    return (
      <select
        {...control}
        value={typeof value === 'boolean' ? String(value) : ''}
        onChange={({ target }) => change(target.value === '' ? '' : target.value === 'true')}
      >
        <option value="">–</option>
        <option>true</option>
        <option>false</option>
      </select>
    )
  }
  return <TypedControl {...{ kind, control }} value={scalarOf(value)} onChange={change} />
}
