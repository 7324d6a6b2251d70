import type { Subscription } from '@surehook/client'
import { Link } from 'react-router'
import { useEndpoints } from '../../api/queries.ts'
import { plural } from '../../parts/data/numbers.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { OpenCircuit } from '../webhook/troubles.tsx'
import { ActiveButton } from '../webhook/webhook-menu.tsx'
import { deadLettersOf } from './dead-letters.ts'
import { DeadLettersNotice } from './dead-letters-notice.tsx'
import { useDay } from './use-day.ts'

/** The most of one kind that the page shows. */
const shown = 5

/** Problems that need a person, each with the button that mends it. */
export function Attention({ webhooks }: { webhooks: readonly Subscription[] }) {
  const endpoints = useEndpoints().data?.endpoints ?? []
  const open = endpoints.filter(({ circuit }) => circuit === 'open')
  const disabled = webhooks.filter((one) => !one.active && one.disabledReason !== undefined)
  const warned = webhooks.filter(({ warnings = [] }) => warnings.length > 0)
  const dead = deadLettersOf(webhooks, useDay().numbers)
  if (open.length + disabled.length + warned.length + dead.length === 0) return null
  return (
    <section className="stack" aria-label="Needs attention">
      {open.slice(0, shown).map((endpoint) => (
        <OpenCircuit key={endpoint.id} endpoint={endpoint} />
      ))}
      {disabled.slice(0, shown).map((webhook) => (
        <Notice key={webhook.id} tone="warn" title="Surehook disabled a webhook">
          <p>
            <WebhookLink webhook={webhook} /> {webhook.disabledReason}
          </p>
          <p>
            <ActiveButton webhook={webhook} />
          </p>
        </Notice>
      ))}
      {dead.slice(0, shown).map((one) => (
        <DeadLettersNotice key={one.webhook.id} {...one} />
      ))}
      {warned.slice(0, shown).map((webhook) => (
        <Notice key={webhook.id} tone="warn" title="A webhook may not work as it should">
          <p>
            <WebhookLink webhook={webhook} />
          </p>
          {webhook.warnings?.map(({ field, message }) => (
            <p key={field + message}>
              Its <code>{field}</code> {message}.
            </p>
          ))}
          <p>
            <ButtonLink to={`/webhooks/${webhook.id}/edit`}>Edit the webhook</ButtonLink>
          </p>
        </Notice>
      ))}
      <More
        count={open.length - shown}
        to="/endpoints"
        what={['more open circuit', 'more open circuits']}
      />
      <More
        count={disabled.length - shown}
        to="/webhooks"
        what={['more disabled webhook', 'more disabled webhooks']}
      />
      <More
        count={warned.length - shown}
        to="/webhooks"
        what={['more webhook with a warning', 'more webhooks with a warning']}
      />
    </section>
  )
}

function WebhookLink({ webhook }: { webhook: Subscription }) {
  return (
    <Link to={`/webhooks/${webhook.id}`} className="breakable">
      {webhook.url}
    </Link>
  )
}

/** `what` is the name of one, and of several. */
type MoreProps = { count: number; to: string; what: [string, string] }

function More({ count, to, what }: MoreProps) {
  if (count <= 0) return null
  return (
    <p>
      <Link to={to}>{plural(count, ...what)}</Link>
    </p>
  )
}
