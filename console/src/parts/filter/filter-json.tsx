import type { Violation } from '@surehook/client'
import { useMemo } from 'react'
import { JsonEditor } from '../forms/json-editor.tsx'
import { marksOf } from './model/marks.ts'

type FilterJsonProps = {
  value: string
  onChange: (text: string) => void
  violations: readonly Violation[]
  root: string
  empty: string
  /** Why the form does not show the text. */
  why: string | null
}

const example = '{ "status": "paid", "total": { "gte": 100 } }'

export function FilterJson({ value, onChange, violations, root, empty, why }: FilterJsonProps) {
  const found = JSON.stringify(violations)
  const marks = useMemo(
    () => marksOf(value, { violations: JSON.parse(found) as Violation[], root }),
    [value, found, root],
  )
  return (
    <>
      <JsonEditor
        label="Filter"
        isLabelHidden
        value={value}
        onChange={onChange}
        marks={marks}
        hint={
          <>
            Such as <code>{example}</code>. {empty}
          </>
        }
      />
      {marks.length > 0 && (
        <ul className="filter-faults" aria-label="Faults of the filter">
          {marks.map(({ line, path, message }) => (
            <li key={`${path} ${message}`} className="violation">
              Line {line}: {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {why !== null && <p className="hint filter-why">The form cannot show this filter. {why}</p>}
    </>
  )
}
