import type { Violation } from '@surehook/client'
import { useState } from 'react'
import { FormOrJson } from '../forms/form-or-json.tsx'
import { type JsonObject, jsonObjectIn } from '../forms/json-object.ts'
import { FilterFormProvider } from './filter-context.ts'
import { FilterJson } from './filter-json.tsx'
import { GroupView } from './group-view.tsx'
import type { Column } from './model/columns.ts'
import { faultsOf } from './model/faults.ts'
import { textOf } from './model/filter-of.ts'
import type { Group } from './model/model.ts'
import { type FilterReading, type MemberPaths, modelOf } from './model/model-of.ts'
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

/** A filter as a form or as JSON. The JSON is what counts: looking at the form changes nothing. */
export function FilterField(props: FilterFieldProps) {
  const { value, onChange, columns, violations, root, empty, hasChanges = false } = props
  const { model, places, why, change } = useModel(value, onChange)
  return (
    <FormOrJson
      label="Filter"
      form={
        model === null ? null : (
          <FilterFormProvider
            value={{ columns, faults: faultsOf(violations, { root, places }), hasChanges, empty }}
          >
            <GroupView group={model} address="" level={1} onChange={change} />
          </FilterFormProvider>
        )
      }
      json={<FilterJson {...{ value, onChange, violations, root, empty, why }} />}
    />
  )
}

const noPlaces: MemberPaths = new Map()

/** What the form shows for the text, or why it shows nothing. */
function useModel(text: string, onChange: (text: string) => void) {
  const [edited, setEdited] = useState<{ text: string; model: Group } | null>(null)
  const read = readText(text)
  const change = (model: Group) => {
    setEdited({ text: textOf(model), model })
    onChange(textOf(model))
  }
  const places = read.isShown ? read.places : noPlaces
  // The form may hold what its JSON does not show again, such as the beginning of a name.
  if (edited?.text === text) return { model: edited.model, places, why: null, change }
  if (read.isShown) return { model: read.model, places, why: null, change }
  return { model: null, places, why: read.why, change }
}

function readText(text: string): FilterReading {
  const filter = objectIn(text)
  return filter === null ? { isShown: false, why: 'It is not a JSON object.' } : modelOf(filter)
}

function objectIn(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  const parsed = jsonObjectIn(text)
  return 'value' in parsed ? parsed.value : null
}
