import type { Replay } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { count } from '../../parts/data/numbers.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { ExactTime } from '../../parts/data/time/time.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button, ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'
import { isRunning, progressText, titleOf } from './replay-text.ts'
import './replay.css'

type ReplayProgressProps = { webhookId: string; replayId: string; onAgain: () => void }

const everyMs = 1_000

export function ReplayProgress({ webhookId, replayId, onAgain }: ReplayProgressProps) {
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('webhooks', webhookId, 'replays', replayId),
    queryFn: ({ signal }) => surehook.webhooks.getReplay(webhookId, replayId, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || isRunning(data) ? everyMs : false,
  })
  return (
    <QueryView query={query}>
      {(replay) => (
        <Card title={titleOf(replay)}>
          <div className="stack">
            <Progress replay={replay} />
            <Stats
              items={[
                ['Changes read', count(replay.scanned)],
                ['Deliveries made', count(replay.deliveries)],
              ]}
            />
            <Facts
              items={[
                ['From', <ExactTime key="from" at={replay.from} />],
                ['Until', <ExactTime key="until" at={replay.until} />],
              ]}
            />
            <div className="row">
              <ButtonLink look="primary" to={`/deliveries?webhookId=${webhookId}`}>
                See the deliveries
              </ButtonLink>
              {!isRunning(replay) && <Button onClick={onAgain}>Replay another time</Button>}
            </div>
          </div>
        </Card>
      )}
    </QueryView>
  )
}

/** Without a value, the bar moves and names no share: the API knows none. */
function Progress({ replay }: { replay: Replay }) {
  const value = isRunning(replay) ? {} : { value: replay.state === 'done' ? 1 : 0 }
  return (
    <div className="stack-tight">
      <progress
        className="replay-progress"
        aria-label="Progress of the replay"
        max={1}
        {...value}
      />
      <p role="status">{progressText(replay)}</p>
    </div>
  )
}
