import * as z from 'zod'
import { changeOperations, deliveryStatuses, errorClasses } from '../../events.ts'
import { JsonObject } from '../../json/json-object.ts'
import { defineOperation } from '../../operation.ts'
import { nextCursor } from '../admin/admin.ts'
import { Instant } from '../instant.ts'
import { text } from '../text.ts'
import { explainedOutcome } from './log.ts'
import { SubscriptionSearch, WebhookName } from './names.ts'
import { Delivery, managed, refusals, WatchedTable } from './webhooks.ts'

/** The most deliveries that one request reads to find those that match. */
export const searchReads = 3_000

/** The most subscriptions that an event is explained for. */
export const explainedSubscriptions = 200

export const FoundDelivery = Delivery.extend({
  webhookId: z.string().describe('The id of the subscription'),
  webhookName: WebhookName,
  table: z.string().nullable().describe('The table of the change. null until the job was read'),
  event: z.enum(changeOperations).nullable().describe('null until the job was read'),
  recordId: z.string().nullable().describe('The record of the change. null until the job was read'),
}).meta({ id: 'FoundDelivery' })
export type FoundDelivery = z.infer<typeof FoundDelivery>

const common = { ...managed, tag: 'deliveries' } as const

const DeliverySearch = z
  .strictObject({
    status: z.enum(deliveryStatuses).optional().describe('Only deliveries in this state'),
    webhookId: z.uuid().optional().describe('Only deliveries of this subscription'),
    deliveryId: z.uuid().optional().describe('Only the delivery with this id'),
    table: WatchedTable.optional().describe('Only deliveries of changes of this table'),
    eventId: text(128).optional().describe('Only deliveries of this change'),
    recordId: text(512).optional().describe('Only deliveries of changes of this record'),
    httpStatus: z.coerce
      .number()
      .int()
      .min(100)
      .max(599)
      .optional()
      .describe('Only deliveries whose last attempt had this answer'),
    errorClass: z
      .enum(errorClasses)
      .optional()
      .describe('Only deliveries whose last attempt failed in this way'),
    since: Instant.optional().describe('Only deliveries made at or after this time'),
    until: Instant.optional().describe('Only deliveries made before this time'),
    limit: z.coerce.number().int().min(1).max(1000).default(50).describe('Entries per page'),
    cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || since < until, {
    path: ['until'],
    message: 'must be later than since',
  })

export const searchDeliveries = defineOperation({
  ...common,
  id: 'searchDeliveries',
  method: 'get',
  path: '/api/rest/_deliveries',
  summary: 'Search deliveries',
  description:
    'Returns the deliveries of all subscriptions of the environment, newest first. Every filter ' +
    'must match. Pass `nextCursor` as `cursor` to read the next page. One request reads up to ' +
    `${searchReads} deliveries: a page may be short, or empty, and still have a \`nextCursor\`. ` +
    'Deliveries of deleted subscriptions are not shown.',
  query: DeliverySearch,
  reply: {
    status: 200,
    schema: z.object({ deliveries: z.array(FoundDelivery), nextCursor }),
  },
  errors: [...refusals],
})

export const EventOutcome = z
  .object({
    webhookId: z.string().describe('The id of the subscription'),
    webhookName: WebhookName,
    delivered: z.boolean().describe('True if the receiver answered 2xx'),
    ...explainedOutcome,
  })
  .meta({ id: 'EventOutcome' })
export type EventOutcome = z.infer<typeof EventOutcome>

export const EventDetail = z
  .object({
    eventId: z.string(),
    table: z.string().nullable().describe('null if neither the log nor the history tells'),
    event: z.enum(changeOperations).nullable().describe('The operation'),
    recordId: z.string().nullable(),
    timestamp: z.iso.datetime().nullable().describe('When the change was made. null: as `record`'),
    record: JsonObject.nullable().describe(
      'The record after the change. null if the log no longer has the change',
    ),
    changedFields: z.array(z.string()).nullable().describe('null: as `record`'),
    webhooks: z.array(EventOutcome).describe('Each subscription of the table'),
    webhooksLeftOut: z
      .int()
      .describe(`Further subscriptions of the table: ${explainedSubscriptions} are shown`),
  })
  .meta({ id: 'EventDetail' })
export type EventDetail = z.infer<typeof EventDetail>

export const getEvent = defineOperation({
  ...common,
  id: 'getEvent',
  method: 'get',
  path: '/api/rest/_events/{eventId}',
  summary: 'Get an event',
  description:
    'Returns one change, and for each subscription of its table the delivery, or why there is ' +
    'none. The log keeps changes for 7 days. Later the answer has what the history knows. The ' +
    'search begins at the time in a UUIDv7 event id, or at `timestamp`.',
  params: z.object({ eventId: z.string().describe('The id of the change') }),
  query: z.strictObject({
    timestamp: Instant.optional().describe('The time of the change, if its id is no UUIDv7'),
  }),
  reply: { status: 200, schema: EventDetail },
  errors: [...refusals, 'EVENT_NOT_FOUND'],
})

export const EventBefore = z
  .object({
    outcome: z
      .enum(['found', 'absent', 'unseen'])
      .describe(
        '`absent`: the log has no earlier change of the record. `unseen`: none is among the ' +
          'changes that one request reads',
      ),
    eventId: z.string().nullable().describe('The change before. null if it is not found'),
    event: z.enum(changeOperations).nullable().describe('Its operation'),
    timestamp: z.iso.datetime().nullable().describe('When it was made'),
    record: JsonObject.nullable().describe('The record after it'),
  })
  .meta({ id: 'EventBefore' })
export type EventBefore = z.infer<typeof EventBefore>

export const getEventBefore = defineOperation({
  ...common,
  id: 'getEventBefore',
  method: 'get',
  path: '/api/rest/_events/{eventId}/before',
  summary: 'Get the change before an event',
  description:
    'Returns the last earlier change of the same record, if the log still has it: `record` has ' +
    'the values before the event.',
  params: z.object({ eventId: z.string().describe('The id of the change') }),
  query: z.strictObject({
    timestamp: Instant.optional().describe('The time of the change, if its id is no UUIDv7'),
  }),
  reply: { status: 200, schema: EventBefore },
  errors: [...refusals, 'EVENT_NOT_FOUND'],
})

export const statsWindows = ['1h', '24h', '7d'] as const
export type StatsWindow = (typeof statsWindows)[number]

const counted = {
  delivered: z.int().describe('Attempts that the receiver answered with 2xx'),
  retrying: z.int().describe('Failed attempts that another attempt follows'),
  deadLetter: z.int().describe('Deliveries that ended as dead letters'),
  cancelled: z.int().describe('Deliveries that were cancelled'),
}

const numbers = {
  counts: z.object(counted),
  attempts: z.int().describe('Attempts in all'),
  successRate: z
    .number()
    .nullable()
    .describe('The share of attempts that succeeded, 0 to 1. null without an attempt'),
}

const latencyMs = z
  .object({ p50: z.number().nullable(), p95: z.number().nullable() })
  .describe('Durations of attempts, to about 15 %. null without an attempt')

const span = {
  window: z.enum(statsWindows),
  from: z.iso.datetime().describe('The beginning of the first bucket'),
  until: z.iso.datetime().describe('When the numbers were read'),
}

const buckets = {
  bucketSeconds: z.int().describe('Length of a bucket'),
  series: z
    .array(z.object({ at: z.iso.datetime().describe('The beginning of the bucket'), ...counted }))
    .max(200)
    .describe('The buckets, oldest first, also empty ones'),
}

const window = z.enum(statsWindows).default('24h').describe('The time span to count, up to now')

export const WebhookStats = z
  .object({ ...span, ...numbers, latencyMs, ...buckets })
  .meta({ id: 'WebhookStats' })
export type WebhookStats = z.infer<typeof WebhookStats>

const perBucket = z.array(z.int()).max(200)

export const WebhookNumbers = z
  .object({
    webhookId: z.string().describe('The id of the subscription'),
    ...numbers,
    latencyMs,
    trend: z
      .object({
        delivered: perBucket.describe('`delivered` of each bucket'),
        failed: perBucket.describe('`retrying` and `deadLetter` of each bucket'),
      })
      .describe('One number for each bucket of `series`'),
  })
  .meta({ id: 'WebhookNumbers' })
export type WebhookNumbers = z.infer<typeof WebhookNumbers>

export const EnvironmentStats = z
  .object({
    ...span,
    ...numbers,
    ...buckets,
    webhooks: z
      .array(WebhookNumbers)
      .describe('Each subscription of the page. The numbers above are their sums'),
    nextCursor,
  })
  .meta({ id: 'EnvironmentStats' })
export type EnvironmentStats = z.infer<typeof EnvironmentStats>

/** The most subscriptions whose numbers one request reads. */
export const countedSubscriptions = 200

export const getEnvironmentStats = defineOperation({
  ...common,
  id: 'getEnvironmentStats',
  method: 'get',
  path: '/api/rest/_webhooks/stats',
  summary: 'Get statistics of all subscriptions',
  description:
    'Counts what became of the attempts in the last hour, 24 hours or 7 days: for each ' +
    `subscription of the page, and for all of them. One page has up to ${countedSubscriptions} ` +
    'subscriptions, newest first. Pass `nextCursor` as `cursor` to read the next page, and add ' +
    'up the numbers of the pages. The cursors of `GET /api/rest/_webhooks` lead to the same pages.',
  query: z.strictObject({
    window,
    search: SubscriptionSearch,
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(countedSubscriptions)
      .default(100)
      .describe('Subscriptions per page'),
    cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
  }),
  reply: { status: 200, schema: EnvironmentStats },
  errors: [...refusals],
})

export const getWebhookStats = defineOperation({
  ...common,
  id: 'getWebhookStats',
  method: 'get',
  path: '/api/rest/_webhooks/{id}/stats',
  summary: 'Get statistics',
  description:
    'Counts what became of the attempts of the subscription in the last hour, 24 hours or ' +
    '7 days. The numbers follow the history and are a second behind.',
  params: z.object({ id: z.string().describe('The id of the subscription') }),
  query: z.strictObject({ window }),
  reply: { status: 200, schema: WebhookStats },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND'],
})
