import { PermissionError, type Violation } from '@surehook/client'
import { everyUser } from '@surehook/contracts/http/data/owner-access'
import { useState } from 'react'
import { useRoles } from '../../../api/queries.ts'
import {
  type Access,
  type PlacedRule,
  rolesOf,
  rulesOf,
} from '../../../parts/data/access/access.ts'
import { AccessMatrix } from '../../../parts/data/access/access-matrix.tsx'
import { RoleName } from '../../../parts/data/access/role-name.tsx'
import { RuleList } from '../../../parts/data/access/rule-list.tsx'
import { FaultNotice, Notice } from '../../../parts/feedback/notice.tsx'
import type { Column } from '../../../parts/filter/model/columns.ts'
import { Button } from '../../../parts/forms/button.tsx'
import { withToggled } from './access-draft.ts'
import { RuleDialog } from './rule/rule-dialog.tsx'
import {
  emptyRule,
  type RuleDraft,
  ruleDraftOf,
  violationsOf,
  withoutRule,
  withRule,
} from './rule/rule-draft.ts'

type MatrixFieldProps = {
  access: Access
  columns: readonly Column[]
  onChange: (access: Access) => void
  violations: readonly Violation[]
  made: readonly string[]
  onNewRole: () => void
}

type OpenRule = { before: PlacedRule | null; start: RuleDraft }

/** The matrix, and the rules below it. */
export function MatrixField({ access, columns, onChange, violations, ...more }: MatrixFieldProps) {
  const { data, error, refetch } = useRoles()
  const [open, setOpen] = useState<OpenRule | null>(null)
  const isForbidden = error instanceof PermissionError
  const defined = data?.roles.map(({ name }) => name) ?? []
  const roles = rolesOf(access, [everyUser, ...defined, ...more.made])
  const rules = rulesOf(access)
  const openRule = (before: PlacedRule) => setOpen({ before, start: ruleDraftOf(before) })
  return (
    <div className="stack">
      <AccessMatrix
        roles={roles}
        access={access}
        onToggle={(action, role) => onChange(withToggled(access, action, role))}
        onRule={(action, role) => {
          const first = rules.find((one) => one.action === action && one.rule.role === role)
          if (first !== undefined) openRule(first)
        }}
      />
      {rules.length > 0 && (
        <RuleList rules={rules}>
          {(placed) => (
            <>
              <Violations violations={violationsOf(violations, placed)} />
              <RuleButtons
                placed={placed}
                onEdit={() => openRule(placed)}
                onRemove={() => onChange(withoutRule(access, placed))}
              />
            </>
          )}
        </RuleList>
      )}
      <Violations violations={violations.filter(isOfNone(rules))} />
      {isForbidden && <NoRight />}
      {error !== null && !isForbidden && <FaultNotice error={error} retry={() => void refetch()} />}
      <div className="row">
        <Button icon="plus" onClick={() => setOpen({ before: null, start: emptyRule(everyUser) })}>
          Add a rule
        </Button>
        {!isForbidden && (
          <Button icon="plus" onClick={more.onNewRole}>
            New role
          </Button>
        )}
      </div>
      {open !== null && (
        <RuleDialog
          {...{ ...open, roles, columns }}
          violations={open.before === null ? [] : violationsOf(violations, open.before)}
          onClose={() => setOpen(null)}
          onDone={(placed) => {
            onChange(withRule(access, placed, open.before))
            setOpen(null)
          }}
        />
      )}
    </div>
  )
}

type RuleButtonsProps = { placed: PlacedRule; onEdit: () => void; onRemove: () => void }

function RuleButtons({ placed: { action, rule }, onEdit, onRemove }: RuleButtonsProps) {
  const what = (
    <span className="visually-hidden">
      {' '}
      the rule: <RoleName role={rule.role} /> may {action}
    </span>
  )
  return (
    <div className="row">
      <Button onClick={onEdit}>Edit{what}</Button>
      <Button look="ghost" onClick={onRemove}>
        Remove{what}
      </Button>
    </div>
  )
}

/** The violations of the access that no rule shows. */
const isOfNone =
  (rules: readonly PlacedRule[]) =>
  (violation: Violation): boolean =>
    (violation.field === 'access' || violation.field.startsWith('access.')) &&
    rules.every((placed) => violationsOf([violation], placed).length === 0)

const Violations = ({ violations }: { violations: readonly Violation[] }) =>
  violations.map(({ field, message }) => (
    <p key={`${field} ${message}`} className="violation">
      {field} {message}
    </p>
  ))

const NoRight = () => (
  <Notice title="Your token lacks the right “users”">
    <p>
      So it can neither list nor create roles. Above are the roles that already have access. To name
      others, switch to JSON, or sign in with a token that has this right.
    </p>
  </Notice>
)
