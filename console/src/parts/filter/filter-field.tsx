import type { Violation } from '@surehook/client'
import { useId, useState } from 'react'
import { type JsonObject, jsonObjectIn } from '../forms/json-object.ts'
import { Segments } from '../forms/segments.tsx'
import { FilterFormProvider } from './filter-context.ts'
import { FilterJson } from './filter-json.tsx'
import { GroupView } from './group-view.tsx'
import type { Column } from './model/columns.ts'
import { faultsOf } from './model/faults.ts'
import { textOf } from './model/filter-of.ts'
import type { Group } from './model/model.ts'
import { modelOf, type Read } from './model/model-of.ts'
import './filter.css'

type FilterFieldProps = {
  /** The filter as JSON text, empty for none. */
  value: string
  onChange: (text: string) => void
  columns: readonly Column[] | null
  violations: readonly Violation[]
  /** How the paths of the violations begin. */
  root: 'filter' | 'where'
  empty: string
  hasChanges?: boolean
}

const views = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const

/** A filter as a form or as JSON. The JSON is what counts: looking at the form changes nothing. */
export function FilterField(props: FilterFieldProps) {
  const { value, onChange, columns, violations, root, empty, hasChanges = false } = props
  const label = useId()
  const [isJson, setJson] = useState(false)
  const [edited, setEdited] = useState<{ text: string; model: Group } | null>(null)
  const read = readText(value)
  // The form may hold what its JSON does not show again, such as the beginning of a name.
  const own = edited?.text === value ? edited.model : null
  const model = own ?? (read.isShown ? read.model : null)
  // Once there, typing JSON that fits the form must not close the editor.
  if (model === null && !isJson) setJson(true)
  const change = (next: Group) => {
    const text = textOf(next)
    setEdited({ text, model: next })
    onChange(text)
  }
  const places = read.isShown ? read.places : new Map()
  const faults = faultsOf(violations, { root, places })
  return (
    <section className="filter-field" aria-labelledby={label}>
      <div className="filter-head">
        <h3 id={label}>Filter</h3>
        <Segments
          label="View of the filter"
          options={views}
          value={isJson ? 'json' : 'form'}
          disabled={model === null ? ['form'] : []}
          onChange={(id) => setJson(id === 'json')}
        />
      </div>
      {isJson || model === null ? (
        <FilterJson
          value={value}
          onChange={onChange}
          violations={violations}
          root={root}
          empty={empty}
          why={model === null && !read.isShown ? read.why : null}
        />
      ) : (
        <FilterFormProvider value={{ columns, faults, hasChanges, empty }}>
          <GroupView group={model} address="" level={1} onChange={change} />
        </FilterFormProvider>
      )}
    </section>
  )
}

function readText(text: string): Read {
  const filter = objectIn(text)
  return filter === null ? { isShown: false, why: 'It is not a JSON object.' } : modelOf(filter)
}

function objectIn(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  const parsed = jsonObjectIn(text)
  return 'value' in parsed ? parsed.value : null
}
