import type { Table, Violation } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { violationOf } from '../../api/faults.ts'
import { Button } from '../../parts/forms/button.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import './record-filters.css'

type RecordFiltersProps = { table: Table; violations: readonly Violation[] }

/** The filter and the order live in the URL, so that a list can be shared. */
export function RecordFilters({ table, violations }: RecordFiltersProps) {
  const [params, setParams] = useSearchParams()
  const given = params.get('where') ?? ''
  const [typed, setTyped] = useState(given)
  const [shown, setShown] = useState(given)
  if (shown !== given) {
    setShown(given)
    setTyped(given)
  }
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    next.delete('cursor')
    if (value === '') next.delete(name)
    else next.set(name, value)
    setParams(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change('where', typed.trim())
  }
  return (
    <search aria-label="Filters">
      <form className="record-filters" onSubmit={submit}>
        <TextField
          label="Filter"
          className="control mono"
          value={typed}
          placeholder='{ "status": "paid" }'
          onChange={(event) => setTyped(event.target.value)}
          violation={violationOf(violations, 'where')}
          hint="JSON, as in a webhook."
        />
        <SelectField
          label="Order"
          value={params.get('order') ?? ''}
          onChange={(event) => change('order', event.target.value)}
        >
          {ordersOf(table).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <div className="record-filters-do">
          <Button type="submit">Filter</Button>
          {given !== '' && (
            <Button look="ghost" icon="close" onClick={() => change('where', '')}>
              Clear
            </Button>
          )}
        </div>
      </form>
    </search>
  )
}

/** Ids grow with time. */
const ordersOf = ({ columns }: Table): readonly (readonly [string, string])[] => [
  ['', 'Oldest first'],
  ['-id', 'Newest first'],
  ['-updatedAt', 'Changed last'],
  ...columns
    .filter(({ type }) => type !== 'json')
    .flatMap(({ name }): [string, string][] => [
      [name, `${name}, ascending`],
      [`-${name}`, `${name}, descending`],
    ]),
]
