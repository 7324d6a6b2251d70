import { type ComponentProps, useId } from 'react'
import { TextField } from './field.tsx'

type TableNameProps = Omit<ComponentProps<typeof TextField>, 'label' | 'list' | 'onChange'> & {
  /** The tables that exist. */
  tables: readonly string[]
  onName: (name: string) => void
}

/** The name of a table. It offers those that exist, and takes any other. */
export function TableNameField({ tables, onName, ...field }: TableNameProps) {
  const list = useId()
  return (
    <>
      <TextField
        {...field}
        label="Table"
        list={list}
        onChange={(event) => onName(event.target.value.trim())}
      />
      <datalist id={list}>
        {tables.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
