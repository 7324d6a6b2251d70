import { Badge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { type Area, areasOf, type Finding, levelTexts, titleOf } from './areas.ts'
import './health.css'

const columns: readonly Column<Area>[] = [
  {
    id: 'level',
    header: 'State',
    cell: ({ level }) => <Badge tone={levelTexts[level].tone}>{levelTexts[level].text}</Badge>,
  },
  { id: 'area', header: 'Part', cell: ({ name }) => titleOf(name), isTitle: true },
  {
    id: 'findings',
    header: 'Findings',
    cell: ({ findings }) => (
      <ul className="findings">
        {findings.map((finding) => (
          <FindingItem key={finding.says} finding={finding} />
        ))}
      </ul>
    ),
  },
]

function FindingItem({ finding: { level, says, advice } }: { finding: Finding }) {
  return (
    <li>
      <span className={level === 'ok' ? undefined : 'finding-fault'}>{says}</span>
      {advice !== undefined && <span className="finding-advice">{advice}</span>}
    </li>
  )
}

const nameOf = ({ name }: Area) => name

/** What the doctor decides about the dependencies, with what to do. */
export const ChecksCard = ({ findings }: { findings: readonly Finding[] }) => (
  <Card title="Checks" isFlush>
    <DataTable label="Checks" columns={columns} rows={areasOf(findings)} idOf={nameOf} />
  </Card>
)
