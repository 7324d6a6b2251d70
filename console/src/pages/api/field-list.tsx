import type { FieldRow } from '@surehook/contracts/openapi/reference/field-rows'
import { InlineCode } from './inline-code.tsx'
import '../../parts/data/field-list.css'

/** Fields of a request or an answer: their names, types, limits and meanings. */
export function FieldList({ label, rows }: { label: string; rows: readonly FieldRow[] }) {
  return (
    <ul className="field-list" aria-label={label}>
      {rows.map(([name, type, limits, meaning]) => (
        <li key={name}>
          <p className="field-list-head">
            <InlineCode text={name} />
            <span className="quiet">
              <InlineCode text={limits === '' ? type : `${type}, ${limits}`} />
            </span>
          </p>
          {meaning !== '' && (
            <p>
              <InlineCode text={meaning} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
