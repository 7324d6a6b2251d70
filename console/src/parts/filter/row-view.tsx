import { useId } from 'react'
import { Button } from '../forms/button.tsx'
import { ColumnControl } from './column-control.tsx'
import { FaultList } from './fault-list.tsx'
import { useFaults, useFilterForm } from './filter-context.ts'
import { ListControl } from './list-control.tsx'
import { type Test, testLabel, testsOf, typeOf } from './model/columns.ts'
import { testOf, withField, withTest } from './model/edits.ts'
import type { Fault } from './model/faults.ts'
import { isList, isReserved, type Row } from './model/model.ts'
import { kindsOf } from './model/values.ts'
import { ValueControl } from './value-control.tsx'

type RowViewProps = {
  row: Row
  address: string
  number: number
  onChange: (row: Row) => void
  onRemove: () => void
}

const reserved: Fault = {
  message: 'This is a word of the filter language, not a column.',
  isField: true,
  index: null,
}

/** One condition: a column, an operator and a value. */
export function RowView({ row, address, number, onChange, onRemove }: RowViewProps) {
  const { columns } = useFilterForm()
  const refused = useFaults(address)
  const faults = isReserved(row.field) ? [...refused, reserved] : refused
  const faultId = useId()
  const described = faults.length > 0 ? faultId : undefined
  const isWrongField = faults.some(({ isField }) => isField)
  const name = `condition ${number}`
  return (
    <div className="filter-row" role="group" aria-label={`Condition ${number}`}>
      <ColumnControl
        field={row.field}
        isWrong={isWrongField}
        describedBy={described}
        onChange={(field) => onChange(withField(row, field, columns))}
      />
      <OperatorControl
        row={row}
        describedBy={described}
        onChange={(test) => onChange(withTest(row, test, columns))}
      />
      <OperandControl
        row={row}
        isWrong={faults.length > 0 && !isWrongField}
        wrong={faults.flatMap(({ index }) => (index === null ? [] : [index]))}
        describedBy={described}
        onChange={onChange}
      />
      <Button look="ghost" icon="close" onClick={onRemove} aria-label={`Remove ${name}`} />
      <FaultList faults={faults} id={faultId} />
    </div>
  )
}

type OperatorControlProps = {
  row: Row
  describedBy: string | undefined
  onChange: (test: Test) => void
}

function OperatorControl({ row, describedBy, onChange }: OperatorControlProps) {
  const { columns } = useFilterForm()
  const type = typeOf(row.field, columns)
  const test = testOf(row)
  const fitting = testsOf(type)
  // JSON can hold an operator that does not fit. The form must not hide it.
  const offered = fitting.includes(test) ? fitting : [...fitting, test]
  return (
    <select
      className="control filter-operator"
      aria-label="Operator"
      aria-describedby={describedBy}
      value={test}
      onChange={(event) => onChange(event.target.value as Test)}
    >
      {offered.map((one) => (
        <option key={one} value={one}>
          {testLabel(one, type)}
        </option>
      ))}
    </select>
  )
}

type OperandControlProps = {
  row: Row
  isWrong: boolean
  /** The values of a list that are wrong. */
  wrong: readonly number[]
  describedBy: string | undefined
  onChange: (row: Row) => void
}

function OperandControl({ row, isWrong, wrong, describedBy, onChange }: OperandControlProps) {
  const { columns } = useFilterForm()
  const test = testOf(row)
  if (test === 'isNull' || test === 'isNotNull') return null
  const kinds = kindsOf(typeOf(row.field, columns), test)
  if (isListRow(row)) {
    return (
      <ListControl
        kinds={kinds}
        values={row.operand}
        wrong={wrong}
        describedBy={describedBy}
        onChange={(operand) => onChange({ ...row, operand })}
      />
    )
  }
  return (
    <ValueControl
      kinds={kinds}
      value={row.operand}
      answers={row.operator === 'exists' ? ['Yes', 'No'] : ['true', 'false']}
      isWrong={isWrong}
      describedBy={describedBy}
      onChange={(operand) => onChange({ ...row, operand })}
    />
  )
}

const isListRow = (row: Row): row is Extract<Row, { operator: 'in' | 'nin' }> =>
  isList(row.operator)
