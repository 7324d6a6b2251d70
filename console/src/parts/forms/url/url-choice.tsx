import type { ReactNode, Ref } from 'react'
import { useSearchParams } from 'react-router'
import { SelectField } from '../field.tsx'
import { withParam } from './url-params.ts'

export const option = (value: string, label: string) => (
  <option key={value} value={value}>
    {label}
  </option>
)

type ChoiceProps = {
  /** The parameter of the URL that keeps the choice. */
  name: string
  label: string
  children: ReactNode
  ref?: Ref<HTMLSelectElement>
}

/** A choice between known values. */
export function Choice({ name, label, children, ref }: ChoiceProps) {
  const [params, setParams] = useSearchParams()
  const value = params.get(name) ?? ''
  return (
    <SelectField
      label={label}
      ref={ref}
      value={value}
      onChange={(event) => setParams(withParam(params, name, event.target.value))}
    >
      <option value="">Any</option>
      {children}
      {value !== '' && <UnlistedOption value={value}>{children}</UnlistedOption>}
    </SelectField>
  )
}

/** A value of a shared URL that is not, or not yet, in the list. */
function UnlistedOption({ value, children }: { value: string; children: ReactNode }) {
  const listed = [children].flat(2).some((child) => keyOf(child) === value)
  return listed ? null : <option value={value}>{value}</option>
}

const keyOf = (child: ReactNode) =>
  typeof child === 'object' && child !== null && 'key' in child ? child.key : null
