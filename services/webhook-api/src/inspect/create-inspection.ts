import type { PlatformAccess } from '@surehook/access/management-access'
import { AppError } from '@surehook/service-kit/errors'
import type { ChangeLog } from '../change-log/change-log.ts'
import type { SearchDeliveries } from '../history/search/search-deliveries.ts'
import { fitToLadder, type RetryLadder } from '../subscriptions/policy/fit-to-ladder.ts'
import { secretWarnings } from '../subscriptions/subscription-warnings.ts'
import { fitToTable } from '../tables/fit-to-table.ts'
import type { KnownTables } from '../tables/known-tables.ts'
import { tableWarnings } from '../tables/table-warnings.ts'
import type { ReadSlots } from '../tenants/connection-slots.ts'
import type { Pools } from '../tenants/open-database.ts'
import { createReadSlots } from '../tenants/read-slots.ts'
import { countEventDeliveries } from './event/count-event-deliveries.ts'
import { createListEvents } from './event/list-events.ts'
import { createShowBefore } from './event/show-before.ts'
import { createShowEvent } from './event/show-event.ts'
import { createExplain } from './explain/explain.ts'
import { createPreview } from './preview.ts'

export type InspectionDeps = Pools & {
  slots: ReadSlots
  changeLog: ChangeLog
  search: SearchDeliveries
  tables: Pick<KnownTables, 'current' | 'fieldsOf' | 'awaitsColumns'>
  access: Pick<PlatformAccess, 'environmentExists'>
  config: { retryLadder: RetryLadder }
}

export type Inspection = ReturnType<typeof createInspection>

/** The queries on the log of changes. Those of a project run one after another. */
export function createInspection(deps: InspectionDeps) {
  const { pool, historyPool, slots, changeLog, search, access, tables, config } = deps
  const shared = { pool, historyPool, slots, changeLog, reads: createReadSlots(), now: Date.now }
  return {
    explain: createExplain(shared),
    listEvents: createListEvents(shared),
    countEventDeliveries: countEventDeliveries(deps),
    showEvent: createShowEvent({ ...shared, search }),
    showBefore: createShowBefore(shared),
    preview: createPreview({
      ...shared,
      async admit(tenant, input) {
        fitToLadder(config.retryLadder, input.policy)
        if (!(await access.environmentExists(tenant.projectId, tenant.environment))) {
          throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
        }
        await tables.current()
        const place = { ...tenant, table: input.table }
        const fields = tables.fieldsOf(place)
        const awaitsColumns = tables.awaitsColumns(place)
        const warnings = [
          ...tableWarnings(input, { fields, awaitsColumns }),
          ...secretWarnings(input.secret),
        ]
        return { input: { ...input, filter: fitToTable(input.filter, fields) }, warnings }
      },
    }),
  }
}
