import type { Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { endpointOf, useEndpoints } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { webhookLabel } from '../../parts/data/webhook-label.ts'
import { Card } from '../../parts/layout/page.tsx'
import {
  type NumbersById,
  stateColumn,
  successColumn,
  trafficColumn,
} from '../webhooks/webhook-columns.tsx'

const shown = 10

type HealthTableProps = { webhooks: readonly Subscription[]; numbers: NumbersById }

/** The webhooks, with those that fail first. */
export function HealthTable({ webhooks, numbers }: HealthTableProps) {
  const endpoints = useEndpoints().data?.endpoints
  const rows = useMemo(() => {
    const isFailing = (webhook: Subscription) =>
      !webhook.active ||
      endpointOf(webhook, endpoints)?.circuit === 'open' ||
      (numbers.get(webhook.id)?.counts.deadLetter ?? 0) > 0
    return webhooks.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a))).slice(0, shown)
  }, [webhooks, endpoints, numbers])
  const columns = useMemo<readonly Column<Subscription>[]>(
    () => [
      stateColumn(endpoints, numbers),
      {
        id: 'url',
        header: 'Webhook',
        isTitle: true,
        cell: (webhook) => (
          <Link to={`/webhooks/${webhook.id}`} className="cell-main">
            <span className="cell-url">{webhookLabel(webhook)}</span>
          </Link>
        ),
      },
      trafficColumn(numbers),
      successColumn(numbers),
    ],
    [endpoints, numbers],
  )
  return (
    <Card title="Webhooks" isFlush actions={<Link to="/webhooks">All webhooks</Link>}>
      <DataTable label="Webhooks by health" columns={columns} rows={rows} idOf={idOf} />
    </Card>
  )
}

const idOf = ({ id }: Subscription) => id
