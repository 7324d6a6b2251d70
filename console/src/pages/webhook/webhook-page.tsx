import type { Endpoint, Subscription } from '@surehook/client'
import { useParams } from 'react-router'
import { endpointOf, useEndpoints, useStats, useWebhook } from '../../api/queries.ts'
import { Time } from '../../parts/data/time/time.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { WebhookState } from '../webhooks/webhook-state.tsx'
import { ActivityCard } from './activity-card.tsx'
import { DefinitionCard } from './definition-card.tsx'
import { LatestDeliveries } from './latest-deliveries.tsx'
import { TestButton } from './test-button.tsx'
import { Troubles } from './troubles.tsx'
import { WebhookMenu } from './webhook-menu.tsx'

export function Page() {
  const { id = '' } = useParams()
  const query = useWebhook(id)
  const endpoint = endpointOf({ id }, useEndpoints().data?.endpoints)
  if (query.data === undefined) {
    return (
      <Frame title="Webhook" parent={{ to: '/webhooks', label: 'Webhooks' }}>
        <QueryView query={query}>{() => null}</QueryView>
      </Frame>
    )
  }
  return <WebhookView webhook={query.data.webhook} endpoint={endpoint} />
}

type WebhookViewProps = { webhook: Subscription; endpoint: Endpoint | undefined }

function WebhookView({ webhook, endpoint }: WebhookViewProps) {
  const numbers = useStats(webhook.id).data
  return (
    <Frame
      title={webhook.name ?? webhook.key ?? webhook.url}
      description={webhook.description && <span className="lines">{webhook.description}</span>}
      parent={{ to: '/webhooks', label: 'Webhooks' }}
      beside={<WebhookState webhook={webhook} endpoint={endpoint} numbers={numbers} />}
      actions={
        <>
          <TestButton webhook={webhook} />
          <ButtonLink to={`/webhooks/${webhook.id}/edit`}>Edit</ButtonLink>
          <WebhookMenu webhook={webhook} />
        </>
      }
    >
      <Troubles webhook={webhook} endpoint={endpoint} />
      <Card>
        <Facts
          items={[
            [
              'URL',
              <span key="url" className="breakable">
                {webhook.url}
              </span>,
            ],
            ['Table', <code key="table">{webhook.table}</code>],
            ['Operations', webhook.events.join(', ')],
            ['Id', <code key="id">{webhook.id}</code>],
            ['Key', webhook.key === undefined ? '–' : <code key="key">{webhook.key}</code>],
            ['Created', <Time key="created" at={webhook.createdAt} />],
            ['In flight to this URL', endpoint?.inFlight ?? '–'],
            ['Paused for this URL', endpoint?.paused ?? '–'],
          ]}
        />
      </Card>
      <ActivityCard id={webhook.id} />
      <LatestDeliveries webhook={webhook} />
      <DefinitionCard webhook={webhook} />
    </Frame>
  )
}
