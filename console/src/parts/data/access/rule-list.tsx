import type { ReactNode } from 'react'
import type { PlacedRule } from './access.ts'
import { RoleName } from './role-name.tsx'
import './rule-list.css'

type RuleListProps = {
  rules: readonly PlacedRule[]
  /** What stands below a rule, such as its violations and buttons. */
  children?: (placed: PlacedRule) => ReactNode
}

/** The rules of a table as sentences. */
export function RuleList({ rules, children }: RuleListProps) {
  return (
    <ul className="rule-list" aria-label="Rules">
      {rules.map((placed) => (
        <li key={`${placed.action} ${placed.index}`}>
          <p>
            <RoleName role={placed.rule.role} /> may <strong>{placed.action}</strong>{' '}
            <Limits {...placed} />
          </p>
          {children?.(placed)}
        </li>
      ))}
    </ul>
  )
}

function Limits({ action, rule: { where, columns, set } }: PlacedRule) {
  return (
    <>
      {where === undefined && action !== 'create' ? 'all records' : 'records'}
      {where !== undefined && <> with {code(where)}</>}
      {columns !== undefined && (
        <>, {columns.length === 0 ? 'no column' : <>only the columns {namesOf(columns)}</>}</>
      )}
      {set !== undefined && <>. The platform sets {code(set)}</>}.
    </>
  )
}

const code = (value: unknown) => <code className="breakable">{JSON.stringify(value)}</code>

const namesOf = (columns: readonly string[]) => (
  <code className="breakable">{columns.join(', ')}</code>
)
