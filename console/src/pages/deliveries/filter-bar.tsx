import type { Violation } from '@surehook/client'
import { useSearchParams } from 'react-router'
import { useTableNames, useWebhooks } from '../../api/queries.ts'
import { webhookLabel } from '../../parts/data/webhook-label.ts'
import { errorClasses } from '../../parts/deliveries/outcome-text.ts'
import { violationOf } from '../../parts/feedback/faults.ts'
import { Button } from '../../parts/forms/button.tsx'
import { Choice, option } from '../../parts/forms/url/url-choice.tsx'
import { UrlTextField } from '../../parts/forms/url/url-text-field.tsx'
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
