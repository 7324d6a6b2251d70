import type { Subscription } from '@surehook/client'
import { JsonView } from '../../parts/data/json/json-view.tsx'
import { Card } from '../../parts/layout/page.tsx'

/** Which changes match, which fields are sent, and how. */
export function DefinitionCard({ webhook }: { webhook: Subscription }) {
  const { filter, select, policy } = webhook
  return (
    <Card title="Definition">
      <div className="columns">
        <Part name="Filter" value={filter} otherwise="Every change of the table matches." />
        <Part name="Fields" value={select} otherwise="Every field is delivered." />
        <Part name="Delivery policy" value={policy} otherwise="All of it has its default." />
      </div>
    </Card>
  )
}

type PartProps = { name: string; value: object | undefined; otherwise: string }

function Part({ name, value, otherwise }: PartProps) {
  return (
    <div className="stack-tight">
      <h3>{name}</h3>
      {value === undefined ? (
        <p className="quiet small">{otherwise}</p>
      ) : (
        <JsonView label={name} text={JSON.stringify(value)} />
      )}
    </div>
  )
}
