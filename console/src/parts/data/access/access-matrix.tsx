import { type Access, type Action, actions, type Entry, grantOf } from './access.ts'
import { RoleName } from './role-name.tsx'
import './access-matrix.css'

type AccessMatrixProps = {
  /** The rows. */
  roles: readonly string[]
  access: Access
  /** Without it, the matrix is only to read. */
  onToggle?: (action: Action, role: string) => void
  /** Opens the rule of a cell that grants only some records or columns. */
  onRule?: (action: Action, role: string) => void
}

/** What each role may do: a row per role, a column per action. */
export function AccessMatrix({ roles, access, ...does }: AccessMatrixProps) {
  return (
    <table className="access-matrix">
      <caption className="visually-hidden">What each role may do with records</caption>
      <thead>
        <tr>
          <th scope="col">Role</th>
          {actions.map((action) => (
            <th key={action} scope="col">
              {titles[action]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {roles.map((role) => (
          <tr key={role}>
            <th scope="row">
              <RoleName role={role} />
            </th>
            {actions.map((action) => (
              <td key={action}>
                <Cell role={role} action={action} entries={access[action]} {...does} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type CellProps = Pick<AccessMatrixProps, 'onToggle' | 'onRule'> & {
  role: string
  action: Action
  entries: readonly Entry[]
}

function Cell({ role, action, entries, onToggle, onRule }: CellProps) {
  const grant = grantOf(entries, role)
  if (onToggle === undefined || onRule === undefined) return <Granted grant={grant} />
  if (grant === 'some') {
    return (
      <button type="button" onClick={() => onRule(action, role)}>
        <Granted grant={grant} />
        <span className="visually-hidden">
          : <RoleName role={role} /> may {action}
        </span>
      </button>
    )
  }
  return (
    <label>
      <input type="checkbox" checked={grant === 'yes'} onChange={() => onToggle(action, role)} />
      <span className="visually-hidden">
        <RoleName role={role} /> may {action}
      </span>
    </label>
  )
}

const titles: Record<Action, string> = {
  read: 'Read',
  create: 'Create',
  update: 'Update',
  delete: 'Delete',
}

function Granted({ grant }: { grant: ReturnType<typeof grantOf> }) {
  if (grant === 'no') return <span className="quiet">–</span>
  return <span className={`is-${grant}`}>{grant}</span>
}
