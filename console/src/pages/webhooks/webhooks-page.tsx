import type { Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useApi } from '../../api/api.ts'
import { curlCommand } from '../../api/curl-command.ts'
import { endpointOf, useEndpoints, useWebhooks } from '../../api/queries.ts'
import type { Session } from '../../app/session/session.ts'
import { type Column, DataTable } from '../../parts/data/data-table.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { LatencyCell } from './stats-cells.tsx'
import { stateColumn, successColumn, trafficColumn } from './webhook-columns.tsx'

const description = 'A webhook sends the changes of a table to your URL.'

export function Page() {
  const query = useWebhooks()
  return (
    <Frame
      title="Webhooks"
      description={description}
      actions={
        <ButtonLink look="primary" icon="plus" to="/webhooks/new">
          New webhook
        </ButtonLink>
      }
    >
      <QueryView query={query}>
        {({ webhooks, nextCursor }) =>
          webhooks.length === 0 ? (
            <NoWebhooks />
          ) : (
            <Card isFlush>
              <WebhooksTable webhooks={webhooks} />
              {nextCursor !== null && <p className="table-note">The newest 200 are shown.</p>}
            </Card>
          )
        }
      </QueryView>
    </Frame>
  )
}

function WebhooksTable({ webhooks }: { webhooks: readonly Subscription[] }) {
  const endpoints = useEndpoints().data?.endpoints
  const columns = useMemo<readonly Column<Subscription>[]>(
    () => [
      {
        id: 'url',
        header: 'Webhook',
        cell: (webhook) => (
          <Link to={`/webhooks/${webhook.id}`} className="cell-main">
            <span className="cell-url">{webhook.url}</span>
            <span className="quiet small">
              <code>{webhook.table}</code> {webhook.events.join(', ')}
            </span>
          </Link>
        ),
      },
      stateColumn(endpoints),
      trafficColumn,
      successColumn,
      {
        id: 'latency',
        header: 'p95',
        cell: ({ id }) => <LatencyCell id={id} />,
        align: 'end',
        isOptional: true,
      },
      {
        id: 'paused',
        header: 'Paused',
        cell: (webhook) => endpointOf(webhook, endpoints)?.paused ?? '–',
        align: 'end',
        isOptional: true,
      },
    ],
    [endpoints],
  )
  return <DataTable label="Webhooks" columns={columns} rows={webhooks} idOf={idOf} />
}

const idOf = ({ id }: Subscription) => id

function NoWebhooks() {
  const { session } = useApi()
  return (
    <Card>
      <EmptyState
        icon="webhook"
        title="No webhooks yet"
        action={
          <ButtonLink look="primary" icon="plus" to="/webhooks/new">
            New webhook
          </ButtonLink>
        }
        command={curlCommand(session, {
          method: 'POST',
          path: '_webhooks',
          body: example(session),
        })}
      >
        <p>Create one here or with a command.</p>
      </EmptyState>
    </Card>
  )
}

const example = (session: Session) => ({
  projectId: session.kind === 'developer' ? session.project : '',
  environment: session.kind === 'developer' ? session.environment : '',
  table: 'orders',
  events: ['INSERT'],
  url: 'https://localhost:9443/',
  secret: 'a-secret',
})
