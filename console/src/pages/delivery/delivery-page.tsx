import type { DeliveryDetail } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useWebhook } from '../../api/queries.ts'
import { eventPath } from '../../parts/data/event-path.ts'
import { StatusBadge } from '../../parts/data/status-badge.tsx'
import { Due, ExactTime, Time } from '../../parts/data/time/time.tsx'
import { labelOf } from '../../parts/data/webhook-label.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { RedeliverDialog } from '../deliveries/redeliver-dialog.tsx'
import { AttemptTimeline } from './attempt-timeline.tsx'
import { timestampIn } from './curl.ts'
import { RequestCard } from './request-card.tsx'
import { SignatureCard } from './signature-card.tsx'

const parent = { to: '/deliveries', label: 'Deliveries' }
const openMs = 1_500

export function Page() {
  const { webhookId = '', deliveryId = '' } = useParams()
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('deliveries', webhookId, deliveryId),
    queryFn: ({ signal }) => surehook.deliveries.get(webhookId, deliveryId, { signal }),
    // An ended delivery changes no more.
    refetchInterval: ({ state }) => (isOpen(state.data) ? openMs : false),
  })
  const [isAsking, setAsking] = useState(false)
  return (
    <Frame
      title="Delivery"
      parent={parent}
      beside={query.data && <StatusBadge status={query.data.status} />}
      description={<code className="breakable">{deliveryId}</code>}
      actions={
        <Button look="primary" onClick={() => setAsking(true)}>
          Redeliver
        </Button>
      }
    >
      <QueryView query={query}>
        {(delivery) => <DeliveryView webhookId={webhookId} delivery={delivery} />}
      </QueryView>
      {isAsking && (
        <RedeliverDialog
          delivery={{ id: deliveryId, webhookId }}
          onClose={() => setAsking(false)}
        />
      )}
    </Frame>
  )
}

const isOpen = (delivery: DeliveryDetail | undefined) =>
  delivery !== undefined && ['pending', 'retrying', 'paused'].includes(delivery.status)

type DeliveryViewProps = { webhookId: string; delivery: DeliveryDetail }

function DeliveryView({ webhookId, delivery }: DeliveryViewProps) {
  const webhook = useWebhook(webhookId).data?.webhook
  const { eventId, body, createdAt, nextAttemptAt, redeliveryOf, attempts } = delivery
  // A redelivery is made long after its event.
  const madeWithEvent = redeliveryOf === null ? createdAt : undefined
  return (
    <>
      <Card>
        <Facts
          items={[
            [
              'Webhook',
              <Link key="w" to={`/webhooks/${webhookId}`}>
                {labelOf(webhookId, webhook && [webhook])}
              </Link>,
            ],
            [
              'Event',
              <Link key="e" to={eventPath(eventId, timestampIn(body) ?? madeWithEvent)}>
                {eventId}
              </Link>,
            ],
            [
              'Made',
              <>
                <Time at={createdAt} /> · <ExactTime at={createdAt} />
              </>,
            ],
            ['Attempts', attempts],
            [
              'Next attempt',
              nextAttemptAt === null ? 'None is due' : <Due key="n" at={nextAttemptAt} />,
            ],
            ...(redeliveryOf === null
              ? []
              : [
                  [
                    'Sends again',
                    <Link key="r" to={deliveryPath(webhookId, redeliveryOf)}>
                      {redeliveryOf}
                    </Link>,
                  ] as const,
                ]),
          ]}
        />
      </Card>
      <AttemptTimeline delivery={delivery} />
      <RequestCard delivery={delivery} webhook={webhook} />
      <SignatureCard key={delivery.id} delivery={delivery} />
    </>
  )
}
