import type { Column } from '@surehook/service-kit/postgres/binary-values'
import { attemptLines } from '../rows/attempt-log.ts'
import type { FoldedDelivery } from '../rows/fold-deliveries.ts'
import { text, textOrNull } from '../rows/storable-text.ts'

/** Stands for the partition of a job whose place is unknown; the row then has the body. */
export const notRead = -1

// A job counts as step -1, so every transition is newer, whichever is read first.
export const deliveryColumns: readonly Column<FoldedDelivery>[] = [
  { name: 'day', type: 'date', valueOf: ({ filedAt }) => filedAt },
  { name: 'id', type: 'uuid', valueOf: ({ of }) => of.deliveryId },
  { name: 'created_at', type: 'timestamptz', valueOf: ({ of }) => of.createdAt },
  { name: 'event_id', type: 'text', valueOf: ({ of }) => text(of.eventId) },
  { name: 'subscription_id', type: 'uuid', valueOf: ({ of }) => of.subscriptionId },
  { name: 'project_id', type: 'text', valueOf: ({ of }) => text(of.projectId) },
  { name: 'environment', type: 'text', valueOf: ({ of }) => text(of.environment) },
  { name: 'watched_table', type: 'text', valueOf: ({ job }) => textOrNull(job?.table ?? null) },
  { name: 'operation', type: 'text', valueOf: ({ job }) => job?.operation ?? null },
  { name: 'webhook_id', type: 'uuid', valueOf: ({ job }) => job?.webhookId ?? null },
  {
    name: 'redelivery_of',
    type: 'text',
    valueOf: ({ job }) => textOrNull(job?.redeliveryOf ?? null),
  },
  { name: 'record_id', type: 'text', valueOf: ({ job }) => textOrNull(job?.recordId ?? null) },
  {
    name: 'job_partition',
    type: 'integer',
    valueOf: ({ job }) => job && (job.place?.partition ?? notRead),
  },
  { name: 'job_offset', type: 'bigint', valueOf: ({ job }) => job?.place?.offset ?? null },
  { name: 'body', type: 'bytea', valueOf: ({ job }) => job?.body ?? null },
  { name: 'status', type: 'text', valueOf: ({ last }) => last?.status ?? 'pending' },
  { name: 'step', type: 'integer', valueOf: ({ last }) => last?.step ?? -1 },
  { name: 'moved_at', type: 'timestamptz', valueOf: ({ last, of }) => last?.at ?? of.createdAt },
  {
    name: 'next_attempt_at',
    type: 'timestamptz',
    valueOf: ({ last }) => last?.nextAttemptAt ?? null,
  },
  { name: 'attempts', type: 'integer', valueOf: ({ last }) => last?.attempts ?? 0 },
  { name: 'attempt_step', type: 'integer', valueOf: ({ lastAttempt }) => lastAttempt?.step ?? -1 },
  { name: 'attempted_at', type: 'timestamptz', valueOf: ({ lastAttempt }) => lastAttempt?.at ?? 0 },
  {
    name: 'http_status',
    type: 'integer',
    valueOf: ({ lastAttempt }) => lastAttempt?.httpStatus ?? null,
  },
  {
    name: 'last_error',
    type: 'text',
    valueOf: ({ lastAttempt }) => lastAttempt?.errorClass ?? null,
  },
  { name: 'attempt_log', type: 'text', valueOf: ({ attempts }) => attemptLines(attempts) },
  { name: 'counted', type: 'bigint', valueOf: ({ countable }) => countable },
]
