import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { RebuildCard } from './rebuild-card.tsx'
import { RecoveriesCard } from './recoveries-card.tsx'
import { ReplaysCard } from './replays-card.tsx'
import { useJobs } from './use-jobs.ts'
import './jobs.css'

export function Page() {
  const query = useJobs()
  return (
    <Frame
      title="Running jobs"
      description="Replays and recoveries of all tenants that run now, and the newest rebuild of the delivery history."
    >
      <QueryView query={query}>
        {(jobs) => (
          <>
            <RebuildCard rebuild={jobs.rebuild} />
            <ReplaysCard jobs={jobs} />
            <RecoveriesCard jobs={jobs} />
          </>
        )}
      </QueryView>
    </Frame>
  )
}
