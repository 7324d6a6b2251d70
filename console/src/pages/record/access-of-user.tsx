import type { AccessExplanation, Table } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { useAsUser } from '../../api/use-as-user.ts'
import { roleOf } from '../../parts/data/access/access.ts'
import { RoleName } from '../../parts/data/access/role-name.tsx'
import '../../parts/data/field-list.css'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { UserChoice } from '../records/as-user.tsx'

type AccessOfUserProps = { table: Table; recordId: string }

/** What a user may do with the record, and what each rule of the table makes of it. */
export function AccessOfUser({ table, recordId }: AccessOfUserProps) {
  const { surehook, keyOf } = useApi()
  const { id, name, choose } = useAsUser()
  const query = useQuery({
    queryKey: keyOf('records', table.name, 'explain', recordId, id),
    queryFn: ({ signal }) =>
      surehook.table(table.name).explain(recordId, { userId: id }, { signal }),
    enabled: id !== '',
  })
  return (
    <Card
      title="What a user may do with it"
      actions={id !== '' && <Button onClick={() => choose('')}>Another user</Button>}
    >
      {id === '' ? (
        <UserChoice action="Explain" />
      ) : (
        <QueryView query={query}>
          {(explanation) => (
            <div className="stack">
              {actions.map((action) => (
                <ActionView
                  key={action}
                  {...{ action, name, explained: explanation[action] }}
                  columns={table.columns.map((column) => column.name)}
                />
              ))}
            </div>
          )}
        </QueryView>
      )}
    </Card>
  )
}

const actions = ['read', 'update', 'delete'] as const
type Action = (typeof actions)[number]
type Explained = AccessExplanation[Action]

type ActionViewProps = {
  action: Action
  name: string
  explained: Explained
  columns: readonly string[]
}

function ActionView({ action, name, explained, columns }: ActionViewProps) {
  const { allowed, reason, rules } = explained
  const kept = columns.filter((column) => !(explained.columns ?? columns).includes(column))
  return (
    <section aria-label={action}>
      <p>
        <strong>
          {name} may {allowed ? '' : 'not '}
          {action} it.
        </strong>{' '}
        {reason}.
        {allowed && kept.length > 0 && (
          <>
            {' '}
            Without the columns <code className="breakable">{kept.join(', ')}</code>.
          </>
        )}
      </p>
      <ul className="field-list">
        {rules.map((rule) => (
          <RuleView key={rule.place} {...rule} />
        ))}
      </ul>
    </section>
  )
}

function RuleView({ rule, place, reason, field, expected, actual }: Explained['rules'][number]) {
  return (
    <li>
      <p className="field-list-head">
        <RoleName role={roleOf(rule)} /> <span className="quiet small">{place}</span>
      </p>
      <p>{reason}.</p>
      {field !== undefined && expected !== undefined && (
        <p className="small">
          Expected <code className="breakable">{JSON.stringify(expected)}</code>, and the record has{' '}
          <code className="breakable">{JSON.stringify(actual)}</code>.
        </p>
      )}
    </li>
  )
}
