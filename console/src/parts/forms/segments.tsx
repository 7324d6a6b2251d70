import { useId } from 'react'
import './segments.css'

type Option<Id extends string> = { readonly id: Id; readonly label: string }

type SegmentsProps<Id extends string> = {
  label: string
  options: readonly Option<Id>[]
  value: Id
  disabled?: readonly Id[]
  onChange: (id: Id) => void
}

/** One choice of a few, side by side. The arrow keys move it. */
export function Segments<Id extends string>(props: SegmentsProps<Id>) {
  const { label, options, value, disabled = [], onChange } = props
  const name = useId()
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.id} className="segment">
          <input
            type="radio"
            name={name}
            value={option.id}
            checked={option.id === value}
            disabled={disabled.includes(option.id)}
            onChange={() => onChange(option.id)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}
