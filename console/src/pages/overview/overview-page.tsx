import type { Subscription } from '@surehook/client'
import { lazy, Suspense } from 'react'
import { useWebhooks } from '../../api/queries.ts'
import { count, percent } from '../../parts/data/numbers.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Loading } from '../../parts/feedback/loading.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { Attention } from './attention.tsx'
import type { Day as DayOfAll } from './day.ts'
import { FirstSteps } from './first-steps.tsx'
import { HealthTable } from './health-table.tsx'
import { useDay } from './use-day.ts'

const AttemptsChart = lazy(() => import('../../parts/data/charts/attempts-chart.tsx'))

export function Page() {
  const query = useWebhooks()
  return (
    <Frame title="Overview" description="The last 24 hours of this environment.">
      <QueryView query={query}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <Attention webhooks={webhooks} />
              <Day webhooks={webhooks} />
            </>
          )
        }
      </QueryView>
    </Frame>
  )
}

function Day({ webhooks }: { webhooks: readonly Subscription[] }) {
  const { query, day, numbers, isCut } = useDay()
  return (
    <>
      <Card
        title="Deliveries"
        actions={<ButtonLink to="/deliveries?within=24h">See the deliveries</ButtonLink>}
      >
        <QueryView query={query}>{() => <DayNumbers day={day} isCut={isCut} />}</QueryView>
      </Card>
      <HealthTable webhooks={webhooks} numbers={numbers} />
    </>
  )
}

function DayNumbers({ day, isCut }: { day: DayOfAll; isCut: boolean }) {
  return (
    <div className="stack">
      <Stats
        items={[
          ['Attempts', count(day.attempts)],
          ['Delivered', count(day.delivered)],
          ['Success', percent(day.attempts === 0 ? null : day.delivered / day.attempts)],
          ['Failed attempts', count(day.failed)],
          ['Dead letters', count(day.deadLetters)],
        ]}
      />
      {day.attempts === 0 ? (
        <EmptyState icon="delivery" title="Nothing was sent in the last 24 hours" />
      ) : (
        <Suspense fallback={<Loading />}>
          <AttemptsChart series={day.series} />
        </Suspense>
      )}
      {isCut && <p className="quiet small">Only the newest 1,000 webhooks are counted.</p>}
    </div>
  )
}
