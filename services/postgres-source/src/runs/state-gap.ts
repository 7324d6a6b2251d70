import type { SourceGap } from '@surehook/contracts/http/sources'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { reasonOf } from '@surehook/service-kit/errors'
import { sourceEvent } from '../capture/source-event.ts'
import { storeGap } from '../slot/slot-store.ts'
import { type SourceRow, tenantOf } from '../source-row.ts'
import type { RunDeps } from './run-deps.ts'

/**
 * Stores that changes may be missing, and sends an event about it. Does not wait for Kafka, which may
 * be away: what the API shows is certain, and the event is lost if the process ends before.
 *
 * @throws NotOwnerError
 */
export async function stateGap(
  { row, deps }: { row: SourceRow; deps: RunDeps },
  { reason, table }: Pick<SourceGap, 'reason' | 'table'>,
): Promise<void> {
  const { id, name } = row
  const source = { ...tenantOf(row), name }
  deps.log.error({ id, ...source, reason, table }, 'source.gap')
  deps.metrics.gaps.inc()
  const at = new Date()
  await storeGap(deps.pool, { id, owner: deps.owner }, { reason, table, at: at.toISOString() })
  const says = { event: 'gap', reason, ...(table !== null && { table }) }
  const event = sourceEvent(source, { id: newEventId(), committedAt: at.getTime(), says })
  const value = deps.codec.change.encode(event)
  deps.producer
    .send([{ topic: changesTopic, key: changeKey(event), value }])
    .catch((err) => deps.log.warn({ id, reason: reasonOf(err) }, 'source.gap.not_sent'))
}
