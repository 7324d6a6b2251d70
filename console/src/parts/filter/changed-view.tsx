import { useId, useState } from 'react'
import { Button } from '../forms/button.tsx'
import { Chips } from './chips.tsx'
import { FaultList } from './fault-list.tsx'
import { useFaults, useFilterForm } from './filter-context.ts'
import type { ChangedFields } from './model/model.ts'

type ChangedViewProps = {
  changed: ChangedFields
  address: string
  number: number
  onChange: (changed: ChangedFields) => void
  onRemove: () => void
}

/** The columns of which an update must have changed one. */
export function ChangedView({ changed, address, number, onChange, onRemove }: ChangedViewProps) {
  const faults = useFaults(address)
  const faultId = useId()
  const { fields } = changed
  const add = (field: string) => {
    if (field !== '' && !fields.includes(field))
      onChange({ ...changed, fields: [...fields, field] })
  }
  return (
    <div className="filter-row filter-changed" role="group" aria-label={`Condition ${number}`}>
      <p>An update changed at least one of</p>
      <div className="filter-list">
        <Chips
          label="Changed columns"
          texts={fields}
          wrong={faults.flatMap(({ index }) => (index === null ? [] : [index]))}
          onRemove={(index) =>
            onChange({ ...changed, fields: fields.filter((_, place) => place !== index) })
          }
        />
        <NextColumn
          taken={fields}
          describedBy={faults.length > 0 ? faultId : undefined}
          onAdd={add}
        />
      </div>
      <Button
        look="ghost"
        icon="close"
        onClick={onRemove}
        aria-label={`Remove condition ${number}`}
      />
      <FaultList faults={faults} id={faultId} />
    </div>
  )
}

type NextColumnProps = {
  taken: readonly string[]
  describedBy: string | undefined
  onAdd: (field: string) => void
}

function NextColumn({ taken, describedBy, onAdd }: NextColumnProps) {
  const { columns } = useFilterForm()
  const [typed, setTyped] = useState('')
  const add = () => {
    onAdd(typed)
    setTyped('')
  }
  if (columns !== null) {
    return (
      <select
        className="control"
        aria-label="Next column"
        aria-describedby={describedBy}
        value=""
        onChange={(event) => onAdd(event.target.value)}
      >
        <option value="">Choose a column</option>
        {columns
          .filter(({ name }) => !taken.includes(name))
          .map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
      </select>
    )
  }
  return (
    <div className="filter-value">
      <input
        className="control"
        aria-label="Next column"
        aria-describedby={describedBy}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value.trim())}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <Button onClick={add}>Add</Button>
    </div>
  )
}
