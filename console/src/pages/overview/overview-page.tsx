import type { Subscription } from '@surehook/client'
import { useWebhooks } from '../../api/queries.ts'
import { AttemptsChart } from '../../parts/data/charts/attempts-chart.tsx'
import { count, percent } from '../../parts/data/numbers.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { TestButton } from '../webhook/test-button.tsx'
import { Attention } from './attention/attention.tsx'
import type { Day as DayOfAll } from './day.ts'
import { FirstSteps } from './first-steps.tsx'
import { HealthTable } from './health-table.tsx'
import { useDay } from './use-day.ts'

export function Page() {
  const query = useWebhooks()
  return (
    <Frame title="Overview" description="The last 24 hours of this environment.">
      <QueryView query={query}>
        {({ webhooks }) => (webhooks.length === 0 ? <FirstSteps /> : <Day webhooks={webhooks} />)}
      </QueryView>
    </Frame>
  )
}

function Day({ webhooks }: { webhooks: readonly Subscription[] }) {
  const { query, day, numbers, isCut } = useDay()
  return (
    <>
      <QueryView query={query}>
        {() => (
          <Card>
            <DayNumbers day={day} isCut={isCut} />
          </Card>
        )}
      </QueryView>
      <Attention webhooks={webhooks} numbers={numbers} />
      {query.data && (
        <Card
          title="Deliveries"
          actions={<ButtonLink to="/deliveries?within=24h">See the deliveries</ButtonLink>}
        >
          {day.attempts === 0 ? (
            <NothingSent webhooks={webhooks} />
          ) : (
            <AttemptsChart series={day.series} />
          )}
        </Card>
      )}
      <HealthTable webhooks={webhooks} numbers={numbers} />
    </>
  )
}

function NothingSent({ webhooks: [webhook] }: { webhooks: readonly Subscription[] }) {
  return (
    <EmptyState
      icon="delivery"
      title="Nothing was sent in the last 24 hours"
      action={webhook && <TestButton webhook={webhook} />}
    />
  )
}

function DayNumbers({ day, isCut }: { day: DayOfAll; isCut: boolean }) {
  return (
    <div className="stack-tight">
      <Stats
        items={[
          ['Attempts', count(day.attempts)],
          ['Delivered', count(day.delivered)],
          ['Success', percent(day.attempts === 0 ? null : day.delivered / day.attempts)],
          ['Failed attempts', count(day.failed)],
          ['Dead letters', count(day.deadLetters)],
        ]}
      />
      {isCut && <p className="quiet small">Only the newest 1,000 webhooks are counted.</p>}
    </div>
  )
}
