import { useId } from 'react'
import { useSearchParams } from 'react-router'
import { useTableNames } from '../../api/queries.ts'
import { Switch } from '../../parts/forms/switch.tsx'
import { Choice, option } from '../../parts/forms/url/url-choice.tsx'
import { withParam } from '../../parts/forms/url/url-params.ts'
import { UrlTextField } from '../../parts/forms/url/url-text-field.tsx'
import { operations } from '../webhook-form/draft.ts'
import { filtersOf, reserved } from './filters.ts'
import '../deliveries/filter-bar.css'

const reservedTables = ['users', '_webhooks', '_deliveries', '_endpoints', '_sources']

export function EventFilterBar() {
  const listId = useId()
  const [params, setParams] = useSearchParams()
  const { isReservedShown } = filtersOf(params)
  const names = useTableNames()
  const tables = isReservedShown ? [...names, ...reservedTables] : names
  return (
    <search className="filter-bar" aria-label="Filters">
      <UrlTextField name="table" label="Table" list={listId} />
      <datalist id={listId}>
        {tables.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <Choice name="operation" label="Operation">
        {operations.map((name) => option(name, name))}
      </Choice>
      <div className="filter-clear">
        <Switch
          label="Reserved tables"
          isOn={isReservedShown}
          onChange={(isOn) => setParams(withParam(params, reserved, isOn ? 'on' : ''))}
        />
      </div>
    </search>
  )
}
