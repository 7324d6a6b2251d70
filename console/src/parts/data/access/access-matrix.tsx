import { type Access, type Action, actions } from './access.ts'
import './access-matrix.css'

type AccessMatrixProps = {
  /** The rows. */
  roles: readonly string[]
  access: Access
  /** Without it, the matrix is only to read. */
  onToggle?: (action: Action, role: string) => void
}

/** What each role may do: a row per role, a column per action. */
export function AccessMatrix({ roles, access, onToggle }: AccessMatrixProps) {
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
              <code className="breakable">{role}</code>
            </th>
            {actions.map((action) => (
              <td key={action}>
                {onToggle === undefined ? (
                  <Granted is={access[action].includes(role)} />
                ) : (
                  <label>
                    <input
                      type="checkbox"
                      checked={access[action].includes(role)}
                      onChange={() => onToggle(action, role)}
                    />
                    <span className="visually-hidden">
                      {role} may {action}
                    </span>
                  </label>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const titles: Record<Action, string> = {
  read: 'Read',
  create: 'Create',
  update: 'Update',
  delete: 'Delete',
}

const Granted = ({ is }: { is: boolean }) =>
  is ? <span className="is-granted">yes</span> : <span className="quiet">–</span>
