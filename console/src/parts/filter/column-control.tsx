import { useEffect, useRef } from 'react'
import { useFilterForm } from './filter-context.ts'
import { fieldOf, splitField, typeOf } from './model/columns.ts'

type ColumnControlProps = {
  field: string
  isWrong: boolean
  describedBy: string | undefined
  onChange: (field: string) => void
}

/** The column of a condition. The columns of a known table are offered, others are typed. */
export function ColumnControl({ field, isWrong, describedBy, onChange }: ColumnControlProps) {
  const { columns } = useFilterForm()
  const focus = useKeptFocus(columns === null)
  const common = {
    className: 'control',
    'aria-describedby': describedBy,
    'aria-invalid': isWrong || undefined,
  }
  if (columns === null) {
    return (
      <input
        {...common}
        {...focus}
        className="control filter-column"
        aria-label="Column"
        placeholder="column, or json.path"
        autoComplete="off"
        spellCheck={false}
        value={field}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    )
  }
  const { column, path } = splitField(field)
  const isKnown = column === '' || columns.some(({ name }) => name === column)
  return (
    <div className="filter-column">
      <select
        {...common}
        {...focus}
        aria-label="Column"
        value={column}
        onChange={(event) => onChange(event.target.value)}
      >
        {column === '' && <option value="">Choose a column</option>}
        {!isKnown && <option value={column}>{column} (no column of the table)</option>}
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {(path !== '' || typeOf(field, columns) === 'json') && (
        <input
          {...common}
          aria-label="Path in the JSON"
          placeholder="path, such as items.0.sku"
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={(event) => onChange(fieldOf(column, event.target.value.trim()))}
        />
      )}
    </div>
  )
}

/** The columns may arrive while someone types: what replaces the focused control gets the focus. */
function useKeptFocus(isTyped: boolean) {
  const ref = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const isFocused = useRef(false)
  const shown = useRef(isTyped)
  useEffect(() => {
    if (shown.current !== isTyped && isFocused.current) ref.current?.focus()
    shown.current = isTyped
  }, [isTyped])
  const set = (focused: boolean) => () => {
    isFocused.current = focused
  }
  return { ref, onFocus: set(true), onBlur: set(false) }
}
