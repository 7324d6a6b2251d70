import type { Violation } from '@surehook/client'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useTableNames, useWebhooks } from '../../api/queries.ts'
import { webhookLabel } from '../../parts/data/webhook-label.ts'
import { errorClasses } from '../../parts/deliveries/outcome-text.ts'
import { violationOf } from '../../parts/feedback/faults.ts'
import { Button } from '../../parts/forms/button.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { withParam } from '../../parts/forms/url-params.ts'
import { UrlTextField } from '../../parts/forms/url-text-field.tsx'
import { activeFilters, type FilterName, spans, withoutFilters } from './list/filters.ts'
import './filter-bar.css'

const statuses = [
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['retrying', 'Retrying'],
  ['paused', 'Paused'],
  ['dead_letter', 'Dead letter'],
  ['cancelled', 'Cancelled'],
] as const

type FilterBarProps = {
  /** Asks to send everything again that the filters find. */
  onRedeliver: () => void
  /** What is wrong with the filters. */
  violations: readonly Violation[]
}

export function FilterBar({ onRedeliver, violations }: FilterBarProps) {
  const [params, setParams] = useSearchParams()
  const webhooks = useWebhooks().data?.webhooks ?? []
  const tables = useTableNames()
  const typed = (name: FilterName) => ({ name, violation: violationOf(violations, name) })
  return (
    <search className="filter-bar" aria-label="Filters">
      <Choice name="status" label="Status">
        {statuses.map(([value, label]) => option(value, label))}
      </Choice>
      <Choice name="within" label="Made">
        {spans.map(([value, label]) => option(value, label))}
      </Choice>
      <Choice name="webhookId" label="Webhook">
        {webhooks.map((one) => option(one.id, `${one.table} → ${webhookLabel(one)}`))}
      </Choice>
      <Choice name="table" label="Table">
        {tables.map((name) => option(name, name))}
      </Choice>
      <Choice name="errorClass" label="Failure">
        {errorClasses.map(([value, label]) => option(value, label))}
      </Choice>
      <UrlTextField {...typed('httpStatus')} label="HTTP status" />
      <UrlTextField {...typed('recordId')} label="Record id" />
      <UrlTextField {...typed('eventId')} label="Event id" />
      {activeFilters(params).length > 0 && (
        <>
          <div className="filter-clear">
            <Button look="ghost" icon="close" onClick={() => setParams(withoutFilters)}>
              Clear the filters
            </Button>
          </div>
          <div className="filter-clear">
            <Button onClick={onRedeliver}>Redeliver these</Button>
          </div>
        </>
      )}
    </search>
  )
}

const option = (value: string, label: string) => (
  <option key={value} value={value}>
    {label}
  </option>
)

type FilterProps = { name: FilterName; label: string }
type ChoiceProps = FilterProps & { children: ReactNode }

function Choice({ name, label, children }: ChoiceProps) {
  const [params, setParams] = useSearchParams()
  const value = params.get(name) ?? ''
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(event) => setParams(withParam(params, name, event.target.value))}
    >
      <option value="">Any</option>
      {children}
      {value !== '' && <UnlistedOption value={value}>{children}</UnlistedOption>}
    </SelectField>
  )
}

/** A value of a shared URL that is not, or not yet, in the list. */
function UnlistedOption({ value, children }: { value: string; children: ReactNode }) {
  const listed = [children].flat(2).some((child) => keyOf(child) === value)
  return listed ? null : <option value={value}>{value}</option>
}

const keyOf = (child: ReactNode) =>
  typeof child === 'object' && child !== null && 'key' in child ? child.key : null
