import * as z from 'zod'
import { changeOperations } from '../../events.ts'
import { defineOperation } from '../../operation.ts'
import { lookLimits } from './log.ts'
import { Events, managed, refusals, WatchedTable } from './webhooks.ts'

/** The most events that one request lists or counts. */
export const listedEvents = 100

const common = { ...managed, tag: 'deliveries' } as const
const list = (text: string) => text.split(',')

export const ListedEvent = z
  .object({
    eventId: z.string(),
    table: z.string(),
    event: z.enum(changeOperations).describe('The operation'),
    recordId: z.string(),
    timestamp: z.iso.datetime().describe('When the change was made'),
    changedFields: z.array(z.string()),
  })
  .meta({ id: 'ListedEvent' })
export type ListedEvent = z.infer<typeof ListedEvent>

const query = z.strictObject({
  table: WatchedTable.optional().describe('Only changes of this table'),
  events: z
    .string()
    .transform(list)
    .pipe(Events)
    .optional()
    .describe('Only these operations, separated by commas. Default: all'),
  tables: z
    .enum(['all', 'own'])
    .default('all')
    .describe('`own`: no changes of reserved tables, which are `users` and those with `_` first'),
  limit: z.coerce.number().int().min(1).max(listedEvents).default(50).describe('Most events'),
})
export type EventListQuery = z.output<typeof query>

export const listEvents = defineOperation({
  ...common,
  id: 'listEvents',
  method: 'get',
  path: '/api/rest/_events',
  summary: 'List the newest events',
  description:
    'Returns the newest changes of the environment, newest first. There is no next page: follow ' +
    'newer changes with `GET /api/rest/_stream`. ' +
    `One request reads the newest ${lookLimits.records} records or ${lookLimits.bytes / 1_048_576} MiB ` +
    `of the log, for up to ${lookLimits.ms / 1000} s. ` +
    'The log has the changes of all environments and keeps them for 7 days.',
  query,
  reply: {
    status: 200,
    schema: z.object({
      events: z.array(ListedEvent),
      limitReached: z
        .boolean()
        .describe('True if the request reached a limit before it found `limit` events'),
    }),
  },
  errors: [...refusals],
})

export const EventCounts = z
  .object({
    eventId: z.string(),
    webhooks: z.int().describe('Subscriptions with a delivery of the event'),
    delivered: z.int().describe('Those whose receiver answered 2xx'),
    pending: z.int().describe('Those with a delivery that is pending, retrying or paused'),
    failed: z.int().describe('Those with a dead letter'),
    cancelled: z.int().describe('Those whose delivery was cancelled'),
  })
  .meta({ id: 'EventCounts' })
export type EventCounts = z.infer<typeof EventCounts>

/** The most pairs of event and subscription that one request looks up. */
export const countedPairs = 10_000

export const countEventDeliveries = defineOperation({
  ...common,
  id: 'countEventDeliveries',
  method: 'get',
  path: '/api/rest/_events/counts',
  summary: 'Count the webhooks of events',
  description:
    'Counts for each event how many subscriptions have a delivery of it, and its outcome. If an ' +
    'event was redelivered, the best outcome counts. The numbers follow the history and are a ' +
    'second behind. Deliveries of deleted subscriptions are not counted. ' +
    `The answer has the first events, as many as ${countedPairs} pairs of event and subscription ` +
    'allow, and at least one. Ask again for the others.',
  query: z.strictObject({
    eventIds: z
      .string()
      .max(listedEvents * 37)
      .transform(list)
      .pipe(z.array(z.uuid()).min(1).max(listedEvents))
      .describe(`Ids of up to ${listedEvents} events, separated by commas`),
  }),
  reply: { status: 200, schema: z.object({ events: z.array(EventCounts) }) },
  errors: [...refusals],
})
