import type { Endpoint } from '@surehook/client'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useEndpointPage } from '../../api/queries.ts'
import { count } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { shortUrl } from '../../parts/data/webhook-label.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { useDay } from '../overview/use-day.ts'
import { CloseCircuitButton } from '../webhook/close-circuit-button.tsx'
import { CircuitBadge } from '../webhooks/circuit-badge.tsx'
import type { NumbersById } from '../webhooks/webhook-columns.tsx'
import { endpointNumbers } from './endpoint-numbers.ts'

const columnsOf = (numbers: NumbersById): readonly Column<Endpoint>[] => [
  {
    id: 'url',
    header: 'URL and webhooks',
    cell: (endpoint) => (
      <span className="cell-main">
        <span className="breakable">{shortUrl(endpoint.url)}</span>
        <span className="small">
          <WebhooksOf endpoint={endpoint} />
        </span>
      </span>
    ),
    isTitle: true,
  },
  { id: 'circuit', header: 'Circuit', cell: (endpoint) => <CircuitBadge endpoint={endpoint} /> },
  { id: 'paused', header: 'Paused', cell: ({ paused }) => count(paused), align: 'end' },
  {
    id: 'flight',
    header: 'In flight',
    cell: ({ inFlight }) => count(inFlight),
    align: 'end',
  },
  {
    id: 'failures',
    header: 'Failures in a row',
    cell: ({ consecutiveFailures }) => count(consecutiveFailures),
    align: 'end',
  },
  {
    id: 'success',
    header: 'Success, 24 h',
    cell: (endpoint) => endpointNumbers(endpoint, numbers)?.success,
    align: 'end',
  },
  {
    id: 'latency',
    header: 'p95, 24 h',
    cell: (endpoint) => endpointNumbers(endpoint, numbers)?.p95,
    align: 'end',
  },
  {
    id: 'action',
    header: 'Action',
    cell: (endpoint) =>
      endpoint.circuit === 'open' || endpoint.refusedWebhooks.length > 0 ? (
        <CloseCircuitButton endpoint={endpoint} />
      ) : null,
  },
]

const idOf = ({ id }: Endpoint) => id

export function Page() {
  const [params] = useSearchParams()
  const query = useEndpointPage(params.get('cursor') ?? undefined)
  const { numbers } = useDay()
  const columns = useMemo(() => columnsOf(numbers), [numbers])
  return (
    <Frame
      title="Endpoints"
      description="A URL whose attempts keep failing gets no more of them for a while: its circuit opens."
    >
      <QueryView query={query}>
        {({ endpoints, nextCursor }) => (
          <Card isFlush>
            {endpoints.length === 0 ? (
              <EmptyState
                icon="endpoint"
                title="No endpoints yet"
                action={<ButtonLink to="/webhooks/new">New webhook</ButtonLink>}
              >
                <p>An endpoint is the URL of a webhook.</p>
              </EmptyState>
            ) : (
              <DataTable label="Endpoints" columns={columns} rows={endpoints} idOf={idOf} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </QueryView>
    </Frame>
  )
}

function WebhooksOf({ endpoint: { webhooks, webhookNames } }: { endpoint: Endpoint }) {
  const [first, ...others] = webhooks
  if (first === undefined) return null
  return (
    <>
      <Link to={`/webhooks/${first}`}>
        <bdi>{webhookNames?.[first] ?? 'Open the webhook'}</bdi>
      </Link>
      {others.length > 0 && (
        <>
          {' '}
          and <Link to="/webhooks">{others.length} more</Link>
        </>
      )}
    </>
  )
}
