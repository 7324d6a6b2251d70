import type { Source } from '@surehook/client'
import { Link } from 'react-router'
import { Badge } from '../../parts/data/status-badge.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'
import { keptWal, missingSql, sourceTones } from './source-state.ts'

export function SourceCard({ source }: { source: Source }) {
  const { name, state, url, publication, slot, lastChangeAt } = source
  return (
    <Card title={name} actions={<Badge tone={sourceTones[state]}>{state}</Badge>}>
      <div className="stack">
        <Trouble source={source} />
        <Facts
          items={[
            [
              'Database',
              <span key="url" className="breakable">
                {url}
              </span>,
            ],
            [
              'Publication',
              <code key="publication" className="breakable">
                {publication}
              </code>,
            ],
            [
              'Replication slot',
              <code key="slot" className="breakable">
                {slot}
              </code>,
            ],
            ['WAL kept', keptWal(source)],
            [
              'Last change',
              lastChangeAt === null ? 'none yet' : <Time key="change" at={lastChangeAt} />,
            ],
            ['Tables', <TablesOf key="tables" source={source} />],
          ]}
        />
      </div>
    </Card>
  )
}

/** What keeps it from capturing, what may be missing, and the next step. */
function Trouble({ source }: { source: Source }) {
  const { reason, gap, findings, budgetEndsInS } = source
  const sql = missingSql(source)
  return (
    <>
      {reason !== null && <Notice tone="bad" title={reason} />}
      {budgetEndsInS !== null && (
        <Notice
          tone="warn"
          title={`The WAL budget is used up in ${Math.ceil(budgetEndsInS / 60)} min`}
        >
          <p>Then Surehook drops its slot, and changes are missed.</p>
        </Notice>
      )}
      {gap !== null && (
        <Notice tone="warn" title="Changes may be missing">
          <p>
            {gap.table === null ? 'All tables' : <code>{gap.table}</code>}, before{' '}
            <Time at={gap.at} />: <code>{gap.reason}</code>
          </p>
        </Notice>
      )}
      {findings.map(({ says, advice, level }) => (
        <Notice key={says} tone={level === 'wrong' ? 'bad' : 'warn'} title={says}>
          {advice !== null && <p>{advice}</p>}
        </Notice>
      ))}
      {sql !== '' && (
        <div className="stack-tight">
          <p>Run this in the database, as its owner:</p>
          <Command text={sql} label={`SQL for ${source.name}`} />
        </div>
      )}
    </>
  )
}

function TablesOf({ source: { tables } }: { source: Source }) {
  if (tables.length === 0) return 'none follows it'
  return (
    <ul className="notice-list">
      {tables.map(({ table, relation }) => (
        <li key={table}>
          <Link to={`/tables/${table}`}>{table}</Link> follows{' '}
          <code className="breakable">{relation}</code>
        </li>
      ))}
    </ul>
  )
}
