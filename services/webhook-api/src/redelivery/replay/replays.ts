import { randomUUID } from 'node:crypto'
import type { Replay, ReplayInput } from '@surehook/contracts/http/webhooks/log'
import { changesKeptMs } from '@surehook/contracts/topics'
import type { LogReader, LogSpan } from '@surehook/kafka/readers/log-reader'
import { AppError, invalid, unavailable } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { OwnBounds } from '../../change-log/own-changes.ts'
import { isUuid, lockedSubscription, ownSubscription } from '../../subscriptions/store/find-own.ts'
import type { KeyedWriter } from '../../tenants/keyed-writer.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { TenantCall } from '../../tenants/tenant-call.ts'
import { findReplay, insertReplay, isReplaying, type ReplayRow } from './replay-store.ts'

export type ReplaysDeps = {
  pool: Pool
  reader: Pick<LogReader, 'offsetsAt' | 'partitions'>
  ownBounds: OwnBounds
  writer: KeyedWriter
  wake: () => void
  now: () => number
}

/** How much the clocks of publishers and brokers may differ. */
const skewMs = 5 * 60_000
/** How late a change may reach the log after an outage of Kafka or of the publishing service. */
const lateMs = 24 * 3_600_000

/** Starts and shows replays. The worker does them and continues after any crash. */
export function createReplays({ pool, reader, ownBounds, writer, wake, now }: ReplaysDeps) {
  async function spansOf(tenant: Tenant, from: number, until: number): Promise<LogSpan[]> {
    const [bounds, partitions, begins, lasts] = await Promise.all([
      ownBounds(tenant),
      reader.partitions(),
      reader.offsetsAt(from - skewMs),
      reader.offsetsAt(until + lateMs),
    ])
    // The replay would leave out the changes of the others.
    if (bounds.length < partitions.length) throw unavailable('A partition has no leader')
    const spans = bounds.map(({ partition, start, end }) => ({
      partition,
      from: Math.max(start, begins.get(partition) ?? start),
      to: Math.min(end, lasts.get(partition) ?? end),
    }))
    return spans.filter((span) => span.from < span.to)
  }

  return {
    async start(call: TenantCall, id: string, input: ReplayInput): Promise<{ replayId: string }> {
      const { tenant } = call
      const { from, until = new Date(now()) } = input
      refuseSpan({ from, until }, now())
      const spans = await spansOf(tenant, from.getTime(), until.getTime())
      const request = { ...call, request: ['replayWebhook', id, input] }
      const answer = await writer.write(request, async (tx) => {
        const { id: subscriptionId } = await lockedSubscription(tx, id, tenant)
        if (await isReplaying(tx, subscriptionId)) {
          throw new AppError('CONFLICT', 'A replay to this webhook is running')
        }
        const replay = { id: randomUUID(), tenant, subscriptionId, from, until, spans }
        await insertReplay(tx, { ...replay, now: new Date(now()) })
        return { replayId: replay.id }
      })
      wake()
      return answer
    },

    async get(tenant: Tenant, id: string, replayId: string): Promise<Replay> {
      const { id: subscriptionId } = await ownSubscription(pool, id, tenant)
      const place = { id: replayId, subscriptionId, tenant }
      const row = isUuid(replayId) ? await findReplay(pool, place) : undefined
      if (row === undefined) throw new AppError('REPLAY_NOT_FOUND', 'No such replay')
      return toReplay(row)
    },
  }
}

function refuseSpan({ from, until }: { from: Date; until: Date }, now: number): void {
  const days = changesKeptMs / 86_400_000
  if (from.getTime() < now - changesKeptMs) {
    throw invalid([
      {
        field: 'from',
        message: `must not be before the log, which has ${days} days`,
        rule: 'out_of_range',
      },
    ])
  }
  if (until.getTime() > now) {
    throw invalid([{ field: 'until', message: 'must not be in the future', rule: 'out_of_range' }])
  }
  if (from >= until)
    throw invalid([{ field: 'until', message: 'must be later than from', rule: 'out_of_range' }])
}

function toReplay(row: ReplayRow): Replay {
  return {
    id: row.id,
    webhookId: row.subscription_id,
    state: row.state,
    from: row.span_from.toISOString(),
    until: row.span_until.toISOString(),
    scanned: Number(row.scanned),
    deliveries: Number(row.deliveries),
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
