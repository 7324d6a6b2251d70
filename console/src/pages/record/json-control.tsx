import { type ComponentProps, useState } from 'react'
import { jsonIn, jsonTextOf } from './field-values.ts'

type JsonControlProps = {
  control: ComponentProps<'textarea'>
  value: unknown
  /** Empty text for no value. */
  onChange: (value: unknown) => void
  onBroken: (isBroken: boolean) => void
}

/** JSON of a column. The text stays as it was typed while it means the value. */
export function JsonControl({ control, value, onChange, onBroken }: JsonControlProps) {
  const [typed, setTyped] = useState({ text: jsonTextOf(value), value })
  if (typed.value !== value) setTyped({ text: jsonTextOf(value), value })
  return (
    <textarea
      {...control}
      className="control mono"
      rows={4}
      spellCheck={false}
      value={typed.text}
      onChange={({ target: { value: text } }) => {
        const read = jsonIn(text)
        onBroken(read === null)
        setTyped({ text, value: read === null ? value : read.value })
        if (read !== null) onChange(read.value)
      }}
    />
  )
}
