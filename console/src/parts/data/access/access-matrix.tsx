import { type Access, type Action, actions, grantOf } from './access.ts'
import { RoleName } from './role-name.tsx'
import './access-matrix.css'

type AccessMatrixProps = {
  /** The rows. */
  roles: readonly string[]
  access: Access
  /** Without it, the matrix is only to read. A cell with rules stays to read. */
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
              <RoleName role={role} />
            </th>
            {actions.map((action) => {
              const grant = grantOf(access[action], role)
              return (
                <td key={action}>
                  {onToggle === undefined || grant === 'some' ? (
                    <Granted grant={grant} />
                  ) : (
                    <label>
                      <input
                        type="checkbox"
                        checked={grant === 'yes'}
                        onChange={() => onToggle(action, role)}
                      />
                      <span className="visually-hidden">
                        <RoleName role={role} /> may {action}
                      </span>
                    </label>
                  )}
                </td>
              )
            })}
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

function Granted({ grant }: { grant: ReturnType<typeof grantOf> }) {
  if (grant === 'no') return <span className="quiet">–</span>
  return <span className={`is-${grant}`}>{grant}</span>
}
