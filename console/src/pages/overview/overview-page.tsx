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
import { FirstSteps } from './first-steps.tsx'
import { HealthTable } from './health-table.tsx'
import { useDay } from './use-day.ts'

const AttemptsChart = lazy(() => import('../../parts/data/attempts-chart.tsx'))

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
              <DayCard ids={webhooks.map(({ id }) => id)} />
              <HealthTable webhooks={webhooks} />
            </>
          )
        }
      </QueryView>
    </Frame>
  )
}

function DayCard({ ids }: { ids: readonly string[] }) {
  const { day, isReady, leftOut } = useDay(ids)
  if (!isReady) {
    return (
      <Card title="Deliveries">
        <Loading />
      </Card>
    )
  }
  return (
    <Card title="Deliveries" actions={<ButtonLink to="/deliveries?within=24h">Search</ButtonLink>}>
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
        {leftOut > 0 && <p className="quiet small">{leftOut} older webhooks are not counted.</p>}
      </div>
    </Card>
  )
}
