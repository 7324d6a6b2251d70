import { PermissionError, type Violation } from '@surehook/client'
import { useRoles } from '../../../api/queries.ts'
import { type Access, actions, rolesOf, rulesOf } from '../../../parts/data/access/access.ts'
import { AccessMatrix } from '../../../parts/data/access/access-matrix.tsx'
import { RuleList } from '../../../parts/data/access/rule-list.tsx'
import { violationOf } from '../../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../../parts/feedback/notice.tsx'
import { Button } from '../../../parts/forms/button.tsx'
import { FormOrJson } from '../../../parts/forms/form-or-json.tsx'
import { JsonEditor } from '../../../parts/forms/json-editor.tsx'
import { accessIn, accessJson, withToggled } from './access-draft.ts'

type AccessFieldProps = {
  /** JSON text. */
  value: string
  onChange: (text: string) => void
  violations: readonly Violation[]
  /** Roles that were made a moment ago. */
  made: readonly string[]
  onNewRole: () => void
}

/** What users may do, by their role: as a matrix or as JSON. */
export function AccessField({ value, onChange, violations, ...roles }: AccessFieldProps) {
  const access = accessIn(value)
  return (
    <div className="stack">
      <p className="quiet">
        Users may do what one of their roles may do. Management tokens with the right{' '}
        <code>records</code> may do everything.
      </p>
      <FormOrJson
        label="Access"
        form={
          access && (
            <MatrixField access={access} onChange={onChange} violations={violations} {...roles} />
          )
        }
        json={
          <JsonEditor
            label="Access"
            isLabelHidden
            value={value}
            onChange={onChange}
            violation={violationOf(violations, 'access')}
            hint="The roles and rules for read, create, update and delete."
          />
        }
      />
    </div>
  )
}

type MatrixFieldProps = Omit<AccessFieldProps, 'value'> & { access: Access }

function MatrixField({ access, onChange, violations, made, onNewRole }: MatrixFieldProps) {
  const { data, error, refetch } = useRoles()
  const isForbidden = error instanceof PermissionError
  const defined = data?.roles.map(({ name }) => name) ?? []
  const roles = rolesOf(access, [...defined, ...made])
  const rules = rulesOf(access)
  return (
    <div className="stack">
      {roles.length > 0 && (
        <AccessMatrix
          roles={roles}
          access={access}
          onToggle={(action, role) => onChange(accessJson(withToggled(access, action, role)))}
        />
      )}
      {rules.length > 0 && <RuleList rules={rules} />}
      {roles.length === 0 && data !== undefined && (
        <p className="quiet">This environment has no roles yet.</p>
      )}
      {actions.map((action) => {
        const violation = violationOf(violations, `access.${action}`)
        return (
          violation !== undefined && (
            <p key={action} className="violation">
              {action}: {violation}
            </p>
          )
        )
      })}
      {isForbidden && <NoRight />}
      {error !== null && !isForbidden && <FaultNotice error={error} retry={() => void refetch()} />}
      {!isForbidden && (
        <div>
          <Button icon="plus" onClick={onNewRole}>
            New role
          </Button>
        </div>
      )}
    </div>
  )
}

const NoRight = () => (
  <Notice title="Your token lacks the right “users”">
    <p>
      So it can neither list nor create roles. Above are the roles that already have access. To name
      others, switch to JSON, or sign in with a token that has this right.
    </p>
  </Notice>
)
