import type { Violation } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useColumns, useTableNames } from '../../api/queries.ts'
import { violationOf } from '../../parts/feedback/faults.ts'
import { FilterField } from '../../parts/filter/filter-field.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField, FieldGroup, SelectField } from '../../parts/forms/field.tsx'
import { TableNameField } from '../../parts/forms/table-name-field.tsx'
import { toggled } from '../../parts/forms/toggled.ts'
import { operations } from '../webhook-form/draft.ts'
import { askedOf, emptyChoice, type StreamChoice } from './stream-choice.ts'
import './stream.css'

type StreamFormProps = {
  /** What the stream was asked for, and what is wrong with that. */
  current: string
  violations: readonly Violation[]
  /** False if the stream ended, so that it has to start again. */
  isRunning: boolean
  onStart: (asked: string) => void
}

export function StreamForm(props: StreamFormProps) {
  const { current, violations: refused, isRunning, onStart } = props
  const [choice, setChoice] = useState<StreamChoice>(emptyChoice)
  const [isTried, setTried] = useState(false)
  const { asked, violations: typed } = askedOf(choice)
  const columns = useColumns(choice.table)
  const tables = useTableNames()
  const violations = [...(isTried ? typed : []), ...(asked === current ? refused : [])]
  const change = (part: Partial<StreamChoice>) => setChoice({ ...choice, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (typed.length === 0) onStart(asked)
  }
  return (
    <form className="stream-form" noValidate onSubmit={submit}>
      <TableNameField
        placeholder="all tables"
        tables={tables}
        value={choice.table}
        onName={(table) => change({ table })}
      />
      <SelectField
        label="From"
        value={choice.from}
        onChange={(event) => change({ from: event.target.value })}
      >
        <option value="">Now</option>
        <option value="1h">One hour ago</option>
        <option value="24h">One day ago</option>
        <option value="7d">Seven days ago</option>
      </SelectField>
      <FieldGroup label="Operations" violation={violationOf(violations, 'events')}>
        {operations.map((operation) => (
          <CheckField
            key={operation}
            label={operation}
            checked={choice.events.includes(operation)}
            onChange={() => change({ events: toggled(choice.events, operation) })}
          />
        ))}
      </FieldGroup>
      <div className="stream-filter">
        <FilterField
          value={choice.filter}
          onChange={(filter) => change({ filter })}
          columns={columns}
          violations={violations}
          root="filter"
          empty="Without a condition, every change shows."
          hasChanges
        />
      </div>
      <StartButton isChanged={asked !== current} isRunning={isRunning} />
    </form>
  )
}

/** A stream that runs as asked needs no start. */
function StartButton({ isChanged, isRunning }: { isChanged: boolean; isRunning: boolean }) {
  if (isRunning && !isChanged) return null
  return (
    <div>
      <Button type="submit" look="primary">
        {isRunning ? 'Apply the filters' : 'Start'}
      </Button>
    </div>
  )
}
