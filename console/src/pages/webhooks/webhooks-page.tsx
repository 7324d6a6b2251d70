import type { Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { endpointOf, useEndpoints, useStatsPage, useWebhookPage } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { shortUrl, webhookLabel } from '../../parts/data/webhook-label.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import {
  byWebhook,
  latencyColumn,
  stateColumn,
  successColumn,
  trafficColumn,
} from './webhook-columns.tsx'

const description = 'A webhook sends the changes of a table to your URL.'

export function Page() {
  const [params] = useSearchParams()
  const cursor = params.get('cursor') ?? undefined
  const query = useWebhookPage(cursor)
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
          webhooks.length === 0 && cursor === undefined ? (
            <NoWebhooks />
          ) : (
            <Card isFlush>
              <WebhooksTable webhooks={webhooks} cursor={cursor} />
              <Pager next={nextCursor} />
            </Card>
          )
        }
      </QueryView>
    </Frame>
  )
}

type WebhooksTableProps = { webhooks: readonly Subscription[]; cursor: string | undefined }

function WebhooksTable({ webhooks, cursor }: WebhooksTableProps) {
  const endpoints = useEndpoints().data?.endpoints
  const stats = useStatsPage(cursor).data
  const numbers = useMemo(() => byWebhook(stats?.webhooks), [stats])
  const columns = useMemo<readonly Column<Subscription>[]>(
    () => [
      {
        id: 'url',
        header: 'Webhook',
        isTitle: true,
        cell: (webhook) => (
          <Link to={`/webhooks/${webhook.id}`} className="cell-main">
            <bdi className="cell-url">{webhookLabel(webhook)}</bdi>
            {isNamed(webhook) && (
              <span className="cell-url quiet small">{shortUrl(webhook.url)}</span>
            )}
            <span className="quiet small">
              <code>{webhook.table}</code> {webhook.events.join(', ')}
            </span>
          </Link>
        ),
      },
      stateColumn(endpoints, numbers),
      trafficColumn(numbers),
      successColumn(numbers),
      latencyColumn(numbers),
      {
        id: 'paused',
        header: 'Paused',
        cell: (webhook) => endpointOf(webhook, endpoints)?.paused ?? '–',
        align: 'end',
      },
    ],
    [endpoints, numbers],
  )
  return <DataTable label="Webhooks" columns={columns} rows={webhooks} idOf={idOf} />
}

const isNamed = ({ name, key }: Subscription) => name !== undefined || key !== undefined

const idOf = ({ id }: Subscription) => id

const NoWebhooks = () => (
  <Card>
    <EmptyState
      icon="webhook"
      title="No webhooks yet"
      action={
        <ButtonLink look="primary" icon="plus" to="/webhooks/new">
          New webhook
        </ButtonLink>
      }
    >
      <p>Name a table and a URL: each change of the table is sent there.</p>
    </EmptyState>
  </Card>
)
