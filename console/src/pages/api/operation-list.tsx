import type { FormEvent } from 'react'
import { Link } from 'react-router'
import { TextField } from '../../parts/forms/field.tsx'
import { MethodBadge } from './method-badge.tsx'
import type { Group } from './operations.ts'

type OperationListProps = {
  groups: readonly Group[]
  typed: string
  selected: string | null
  onType: (typed: string) => void
  onEnter: () => void
  linkTo: (id: string) => string
}

/** The search, and the operations by tag. */
export function OperationList(props: OperationListProps) {
  const { groups, typed, selected, onType, onEnter, linkTo } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onEnter()
  }
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0)
  return (
    <div className="operation-list stack">
      <search aria-label="Operations">
        <form onSubmit={submit}>
          <TextField
            type="search"
            label="Search operations"
            value={typed}
            placeholder="create records"
            onChange={(event) => onType(event.target.value)}
            hint="A name, a path or a word. Enter opens the first."
          />
        </form>
      </search>
      <p className="visually-hidden" role="status">
        {count === 1 ? '1 operation' : `${count} operations`}
      </p>
      {count === 0 && <p className="quiet">No operation has all these words.</p>}
      <nav aria-label="Operations" className="stack">
        {groups.map(({ name, title, about, entries }) => (
          <section key={name} aria-label={title}>
            <h2>{title}</h2>
            <p className="quiet small">{about}</p>
            <ul>
              {entries.map(({ id, method, path, operation }) => (
                <li key={id} data-row>
                  <Link
                    className="operation-link"
                    to={linkTo(id)}
                    title={path}
                    aria-current={id === selected ? 'page' : undefined}
                  >
                    <span>{operation.summary}</span>
                    <MethodBadge method={method} />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </div>
  )
}
