import { useState } from 'react'
import { Link } from 'react-router'
import { plural } from '../../parts/data/numbers.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Button, ButtonLink } from '../../parts/forms/button.tsx'
import { RecoverDialog } from '../webhook/recover-dialog.tsx'
import type { DeadLetters } from './dead-letters.ts'

/** The dead letters of the last day. Those that were sent again count too. */
export function DeadLettersNotice({ webhook, count }: DeadLetters) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Notice tone="warn" title={plural(count, 'dead letter', 'dead letters')}>
      <p>
        In the last 24 hours, every attempt of these deliveries failed:{' '}
        <Link to={`/webhooks/${webhook.id}`} className="breakable">
          {webhook.url}
        </Link>
      </p>
      <p className="row">
        <Button onClick={() => setAsking(true)}>Recover</Button>
        <ButtonLink
          look="ghost"
          to={`/deliveries?status=dead_letter&within=24h&webhookId=${webhook.id}`}
        >
          Show them
        </ButtonLink>
      </p>
      {isAsking && <RecoverDialog webhook={webhook} onClose={() => setAsking(false)} />}
    </Notice>
  )
}
