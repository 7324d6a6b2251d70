import { useParams, useSearchParams } from 'react-router'
import { useWebhook } from '../../api/queries.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { ReplayForm } from './replay-form.tsx'
import { ReplayProgress } from './replay-progress.tsx'

/** A wizard. Its URL has the choice and then the replay, so both can be reloaded and shared. */
export function Page() {
  const { id = '' } = useParams()
  const [params, setParams] = useSearchParams()
  const replayId = params.get('replay')
  return (
    <Frame
      title="Replay a past time"
      parent={{ to: `/webhooks/${id}`, label: 'Webhook' }}
      description="Sends the changes of a past time to this webhook, with its present filter and URL."
    >
      <QueryView query={useWebhook(id)}>
        {({ webhook }) =>
          replayId === null ? (
            <ReplayForm webhook={webhook} onStart={(replay) => setParams({ replay })} />
          ) : (
            <ReplayProgress webhookId={id} replayId={replayId} onAgain={() => setParams({})} />
          )
        }
      </QueryView>
    </Frame>
  )
}
