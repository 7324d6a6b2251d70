import { useStats } from '../../api/queries.ts'
import { AttemptsChart } from '../../parts/data/charts/attempts-chart.tsx'
import { count, milliseconds, percent } from '../../parts/data/numbers.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card } from '../../parts/layout/page.tsx'

/** The attempts of the last day. */
export function ActivityCard({ id }: { id: string }) {
  return (
    <Card title="Last 24 hours">
      <QueryView query={useStats(id)}>
        {({ counts, attempts, successRate, latencyMs, series }) => (
          <div className="stack">
            <Stats
              items={[
                ['Attempts', count(attempts)],
                ['Success', percent(successRate)],
                ['p50', milliseconds(latencyMs.p50)],
                ['p95', milliseconds(latencyMs.p95)],
                ['Dead letters', count(counts.deadLetter)],
              ]}
            />
            <AttemptsChart series={series} />
          </div>
        )}
      </QueryView>
    </Card>
  )
}
