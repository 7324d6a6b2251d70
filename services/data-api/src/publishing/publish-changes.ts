import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import { maxPublishedRecordBytes } from '@surehook/contracts/http/data/changes'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { createStatementBatches, type StatementBatches } from '../statement-batches.ts'
import type { Tenant } from '../table-definition.ts'
import { type NewEvent, newEvent, type PublishOrigin } from './new-event.ts'
import { conflict, publishEvents, RefusedChangeError } from './publish-statement.ts'
import type { ReadChange } from './read-changes.ts'

/**
 * Resolves with the ids of the events, in order, when all events are in the WAL. From there the
 * relay sends them to Kafka, also after a crash. If it rejects, nothing was published.
 */
export type PublishChanges = (
  of: { tenant: Tenant; origin: PublishOrigin },
  changes: readonly ReadChange[],
) => Promise<string[]>

export type PublishingDeps = { pool: Pool; slots: TenantSlots; maxWaitMs: number }

export function createPublishing({ pool, slots, maxWaitMs }: PublishingDeps): PublishChanges {
  const batches = singleChanges(pool, { slots, maxWaitMs })
  return async ({ tenant, origin }, changes) => {
    const events = eventsOf(tenant, origin, changes)
    try {
      await publish(tenant, events)
    } catch (err) {
      if (!(err instanceof RefusedChangeError)) throw err
      throw conflict(err, changes[err.index]?.nameOf(err.field) ?? err.field)
    }
    return events.map(({ id }) => id)
  }

  async function publish(tenant: Tenant, events: readonly NewEvent[]): Promise<void> {
    const [event, ...others] = events
    if (event === undefined) return
    if (others.length > 0) return slots.run(tenant, () => publishEvents(pool, tenant, events))
    const key = JSON.stringify([tenant.projectId, tenant.environment])
    await batches.run({ key, tenant, target: tenant }, event)
  }
}

/** Lets simultaneous requests of a tenant share statements, if each has one change. */
function singleChanges(
  pool: Pool,
  { slots, maxWaitMs }: Omit<PublishingDeps, 'pool'>,
): StatementBatches<NewEvent, Tenant> {
  return createStatementBatches({
    enter: slots.run,
    maxWaitMs,
    sizeOf: ({ head, record }) => head.length + record.length,
    isOfOneItem: (err) => err instanceof RefusedChangeError,
    async statement(tenant, events) {
      await publishEvents(pool, tenant, events)
      return events.map(({ id }) => id)
    },
  })
}

function eventsOf(
  tenant: Tenant,
  origin: PublishOrigin,
  changes: readonly ReadChange[],
): NewEvent[] {
  const events: NewEvent[] = []
  const tooLarge: string[] = []
  for (const { change, nameOf } of changes) {
    const event = newEvent(tenant, origin, change)
    if (event === null) tooLarge.push(nameOf('record'))
    else events.push(event)
  }
  if (tooLarge.length === 0) return events
  throw new AppError('PAYLOAD_TOO_LARGE', 'A record has at most 256 KiB', {
    violations: tooLarge.map((field) => ({
      field,
      message: `must be at most ${maxPublishedRecordBytes} bytes of JSON`,
      rule: 'too_large',
    })),
  })
}
