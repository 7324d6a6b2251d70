import type { Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import {
  endpointOf,
  type ListQuery,
  useEndpoints,
  useStatsPage,
  useWebhookPage,
} from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { ListSearch, useListSearch } from '../../parts/data/tables/list-search.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { shortUrl, webhookLabel } from '../../parts/data/webhook-label.ts'
import { EmptyState, NothingFound } from '../../parts/feedback/empty-state.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
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
  const asked = useListSearch()
  const query = useWebhookPage(asked)
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
      <ListSearch
        label="Search webhooks"
        violation={violationOf(faultOf(query.error).violations, 'search')}
      />
      <QueryView query={query}>
        {({ webhooks, nextCursor }) => (
          <Card isFlush>
            {webhooks.length === 0 && asked.cursor === undefined ? (
              <NoWebhooks isFiltered={asked.search !== undefined} />
            ) : (
              <WebhooksTable webhooks={webhooks} asked={asked} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </QueryView>
    </Frame>
  )
}

type WebhooksTableProps = { webhooks: readonly Subscription[]; asked: ListQuery }

function WebhooksTable({ webhooks, asked }: WebhooksTableProps) {
  const endpoints = useEndpoints().data?.endpoints
  const stats = useStatsPage(asked).data
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

function NoWebhooks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <NothingFound title="No webhook has this in its name, key or URL" all="Show all webhooks" />
    )
  }
  return (
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
  )
}
