import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../forms/button.tsx'
import { Chips } from './chips.tsx'
import type { Scalar } from './model/model.ts'
import { chipText, type Kind, valueAs } from './model/values.ts'
import { TypedControl } from './typed-control.tsx'
import { KindControl, useKind } from './value-control.tsx'

type ListControlProps = {
  kinds: readonly Kind[]
  values: readonly Scalar[]
  /** The indexes of the values that are wrong. */
  wrong: readonly number[]
  describedBy: string | undefined
  onChange: (values: readonly Scalar[]) => void
}

/** Several values. What was typed last joins them with Enter, or when the focus leaves. */
export function ListControl({ kinds, values, wrong, describedBy, onChange }: ListControlProps) {
  const [usual = 'text'] = kinds
  const [next, setNext] = useState<Scalar>(() => valueAs(usual, ''))
  const [kind, choose] = useKind(kinds, next)
  if (!kinds.includes(kind)) setNext(valueAs(usual, next))
  const control = useRef<HTMLDivElement>(null)
  const add = () => {
    if (next === '') return
    onChange([...values, next])
    setNext(kind === 'null' || kind === 'boolean' ? next : '')
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    const isInside = relatedTarget instanceof Node && control.current?.contains(relatedTarget)
    // A choice counts only when it is added: it may be there from before.
    if (isInside !== true && kind !== 'null' && kind !== 'boolean') add()
  }
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <div className="filter-list" ref={control} onBlur={leave}>
      <Chips
        label="Values"
        texts={values.map((value) => chipText(value, kinds))}
        wrong={wrong}
        onRemove={(index) => {
          onChange(values.filter((_, place) => place !== index))
          control.current
            ?.querySelector<HTMLElement>('.filter-next select, .filter-next input')
            ?.focus()
        }}
      />
      <div className="filter-value filter-next">
        <KindControl
          kinds={kinds}
          kind={kind}
          onChange={(chosen) => {
            choose(chosen)
            setNext(valueAs(chosen, next))
          }}
        />
        {kind === 'boolean' && (
          <select
            className="control"
            aria-label="Next value"
            value={String(next)}
            onChange={(event) => setNext(event.target.value === 'true')}
          >
            <option>true</option>
            <option>false</option>
          </select>
        )}
        {kind !== 'boolean' && kind !== 'null' && (
          <TypedControl
            kind={kind}
            value={next}
            control={{
              className: 'control',
              'aria-label': 'Next value',
              'aria-describedby': describedBy,
              onKeyDown: addOnEnter,
            }}
            onChange={setNext}
          />
        )}
        <Button onClick={add}>Add</Button>
      </div>
    </div>
  )
}
