import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import { lookLimits } from '@surehook/contracts/http/webhooks/log'
import type { EventBefore } from '@surehook/contracts/http/webhooks/questions'
import { changesKeptMs } from '@surehook/contracts/topics'
import { AppError } from '@surehook/service-kit/errors'
import type { ChangeLog } from '../../change-log/change-log.ts'
import { isUuid } from '../../subscriptions/store/find-own.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { timeInId } from '../explain/event-time.ts'

export type ShowBeforeDeps = {
  changeLog: Pick<ChangeLog, 'findBefore'>
  reads: TenantSlots
  now: () => number
}

const nothing = { eventId: null, event: null, timestamp: null, record: null }

/** Shows the last earlier change of the record that a change is of. */
export function createShowBefore({ changeLog, reads, now }: ShowBeforeDeps) {
  return async (
    tenant: Tenant,
    id: string,
    { timestamp }: { timestamp?: Date | undefined },
  ): Promise<EventBefore> => {
    const eventId = id.toLowerCase()
    const madeAt = timestamp?.getTime() ?? (isUuid(id) ? timeInId(eventId) : null)
    if (!isUuid(id) || madeAt === null) throw noEvent()
    if (madeAt < now() - changesKeptMs) return { outcome: 'absent', ...nothing }
    const sought = { ...lookLimits, eventId, madeAt }
    const found = await reads.run(tenant, () => changeLog.findBefore(tenant, sought))
    if (found === 'absent') throw noEvent()
    if (found === 'unseen') return { outcome: 'unseen', ...nothing }
    if (found === null) return { outcome: 'absent', ...nothing }
    const { event, record } = found
    return {
      outcome: 'found',
      eventId: event.id,
      event: event.operation,
      timestamp: new Date(event.timestamp).toISOString(),
      record,
    }
  }
}

const noEvent = () => new AppError('EVENT_NOT_FOUND', 'The log has no such change')
