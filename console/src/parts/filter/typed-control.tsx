import { type ComponentProps, useState } from 'react'
import type { Scalar } from './model/model.ts'
import {
  isDateText,
  type Kind,
  localTimeOf,
  numberIn,
  textOfValue,
  timeOf,
} from './model/values.ts'

export type ControlProps = Pick<
  ComponentProps<'input'>,
  'className' | 'aria-label' | 'aria-describedby' | 'aria-invalid'
>

type TypedControlProps = {
  kind: Exclude<Kind, 'boolean' | 'null'>
  value: Scalar
  control: ControlProps & Pick<ComponentProps<'input'>, 'onKeyDown' | 'ref' | 'placeholder'>
  onChange: (value: Scalar) => void
}

/** Something to type into. A picker shows only times and dates that it does not change. */
export function TypedControl(props: TypedControlProps) {
  const { kind, control, onChange } = props
  const value = textOfValue(props.value)
  const local = localTimeOf(value)
  if (kind === 'time' && local !== null) {
    return (
      <>
        <input
          {...control}
          type="datetime-local"
          step="1"
          value={local}
          onChange={(event) => onChange(timeOf(event.target.value))}
        />
        <span className="filter-unit">UTC</span>
      </>
    )
  }
  if (kind === 'date' && isDateText(value)) {
    return (
      <input
        {...control}
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  return <TextControl {...props} />
}

/** Holds what was typed, such as `1.`, while the value is what it means. */
function TextControl({ kind, value, control, onChange }: TypedControlProps) {
  const [typed, setTyped] = useState({ text: textOfValue(value), value })
  const meant = (text: string): Scalar => (kind === 'number' ? numberIn(text) : text)
  if (typed.value !== value) {
    const isMeant = meant(typed.text) === value
    setTyped({ text: isMeant ? typed.text : textOfValue(value), value })
  }
  return (
    <input
      autoComplete="off"
      spellCheck={false}
      {...control}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      value={typed.text}
      onChange={({ target: { value: text } }) => {
        setTyped({ text, value: meant(text) })
        onChange(meant(text))
      }}
    />
  )
}
