import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { ChangeEvent } from '@surehook/contracts/events'
import { isReservedTable } from '@surehook/contracts/http/data/reserved-tables'
import type { EventListQuery, ListedEvent } from '@surehook/contracts/http/webhooks/event-list'
import { lookLimits } from '@surehook/contracts/http/webhooks/log'
import type { ChangeLog } from '../../change-log/change-log.ts'
import type { Tenant } from '../../tenants/tenant.ts'

export type ListEventsDeps = { changeLog: Pick<ChangeLog, 'newest'>; reads: TenantSlots }

export type EventList = { events: ListedEvent[]; limitReached: boolean }

/** Lists the newest changes of the environment, newest first. */
export function createListEvents({ changeLog, reads }: ListEventsDeps) {
  return async (tenant: Tenant, query: EventListQuery): Promise<EventList> => {
    const { table, events, tables, limit } = query
    const accepts = (event: ChangeEvent) =>
      (events === undefined || events.includes(event.operation)) &&
      (tables === 'all' || !isReservedTable(event.table))
    const { projectId, environment } = tenant
    const search = { ...lookLimits, count: limit, accepts }
    const { changes, isCutShort } = await reads.run(tenant, () =>
      changeLog.newest({ projectId, environment, table }, search),
    )
    return { events: changes.map(({ event }) => listed(event)), limitReached: isCutShort }
  }
}

function listed(event: ChangeEvent): ListedEvent {
  return {
    eventId: event.id,
    table: event.table,
    event: event.operation,
    recordId: event.recordId,
    timestamp: new Date(event.timestamp).toISOString(),
    changedFields: event.changedFields,
  }
}
