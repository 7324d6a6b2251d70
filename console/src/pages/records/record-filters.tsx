import type { Table, Violation } from '@surehook/client'
import { type FormEvent, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { prettyJson } from '../../parts/data/json/json-tokens.ts'
import { FilterField } from '../../parts/filter/filter-field.tsx'
import { columnsOf } from '../../parts/filter/model/columns.ts'
import { filterIn } from '../../parts/filter/model/filter-text.ts'
import { Button } from '../../parts/forms/button.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import './record-filters.css'

type RecordFiltersProps = { table: Table; violations: readonly Violation[] }

/** The filter and the order live in the URL, so that a list can be shared. */
export function RecordFilters({ table, violations }: RecordFiltersProps) {
  const [params, setParams] = useSearchParams()
  const given = params.get('where') ?? ''
  const [typed, setTyped] = useState(() => prettyJson(given))
  const [shown, setShown] = useState(given)
  const [isTried, setTried] = useState(false)
  const columns = useMemo(() => columnsOf(table), [table])
  if (shown !== given) {
    setShown(given)
    setTyped(prettyJson(given))
  }
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    next.delete('cursor')
    if (value === '') next.delete(name)
    else next.set(name, value)
    setParams(next)
  }
  const { filter, violations: faults } = filterIn(typed, 'where')
  const asked = filter === null ? typed.trim() : JSON.stringify(filter)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (faults.length === 0) change('where', asked)
  }
  return (
    <search aria-label="Filters">
      <form className="record-filters" noValidate onSubmit={submit}>
        <FilterField
          value={typed}
          onChange={setTyped}
          columns={columns}
          violations={[
            ...(isTried ? faults : []),
            ...(prettyJson(asked) === prettyJson(given) ? violations : []),
          ]}
          root="where"
          empty="Without a condition, every record shows."
        />
        <OrderField
          table={table}
          value={params.get('order') ?? ''}
          onChange={(order) => change('order', order)}
        />
        <div className="record-filters-do">
          <Button type="submit">Filter</Button>
          {given !== '' && (
            <Button look="ghost" icon="close" onClick={() => change('where', '')}>
              Clear the filters
            </Button>
          )}
        </div>
      </form>
    </search>
  )
}

type OrderFieldProps = { table: Table; value: string; onChange: (order: string) => void }

function OrderField({ table, value, onChange }: OrderFieldProps) {
  return (
    <SelectField label="Order" value={value} onChange={(event) => onChange(event.target.value)}>
      {ordersOf(table).map(([order, label]) => (
        <option key={order} value={order}>
          {label}
        </option>
      ))}
    </SelectField>
  )
}

const ordersOf = ({ columns }: Table): readonly (readonly [string, string])[] => [
  ['', 'Newest first'],
  ['id', 'Oldest first'],
  ['-updatedAt', 'Changed last'],
  ...columns
    .filter(({ type }) => type !== 'json')
    .flatMap(({ name }): [string, string][] => [
      [name, `${name}, ascending`],
      [`-${name}`, `${name}, descending`],
    ]),
]
