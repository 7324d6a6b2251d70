import * as z from 'zod'
import { parseExactJson } from '../../json/exact-json.ts'
import { defineOperation } from '../../operation.ts'
import { changesKeptMs } from '../../topics.ts'
import { ruled } from '../../violation-rules.ts'
import { Instant } from '../instant.ts'
import {
  Events,
  FilterInput,
  flag,
  managed,
  refusals,
  Select,
  tenantHeaders,
  WatchedTable,
} from './webhooks.ts'

export const streamLimits = {
  /** The most tables of one request: its filter is fitted to each of them. */
  tables: 20,
  /** The most events of one page. */
  events: 1_000,
  waitS: 25,
  /** A page ends with the event that reaches this size. */
  pageBytes: 524_288,
} as const

export const eventStream = 'text/event-stream'
export const ndjson = 'application/x-ndjson'
/** The response header with the cursor of the next page. */
export const nextCursorHeader = 'X-Next-Cursor'

const list = (text: string) => text.split(',')

const longestTableName = 63
const Tables = z
  .string()
  .max(streamLimits.tables * (longestTableName + 1))
  .refine((text) => list(text).every((name) => WatchedTable.safeParse(name).success), {
    error: 'must be table names such as "orders" or "orders,refunds"',
  })
  .transform((text) => [...new Set(list(text))])
  .refine(
    ({ length }) => length <= streamLimits.tables,
    ruled(`must be at most ${streamLimits.tables} tables`, 'too_many'),
  )

const FilterText = z
  .string()
  .max(20_000)
  .transform((text, context): unknown => {
    try {
      return parseExactJson(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(FilterInput)

const duration = /^\d{1,9}(?:ms|s|m|h|d)$/
const From = z
  .string()
  .max(64)
  .refine((text) => text === 'now' || duration.test(text) || Instant.safeParse(text).success, {
    error: 'must be "now", an instant such as 2026-01-01T12:00:00Z or a duration such as 1h',
  })

const Cursor = z.string().max(4_096)
const days = changesKeptMs / 86_400_000

const query = z.strictObject({
  table: Tables.optional().describe(
    `Only changes of these tables, at most ${streamLimits.tables}, separated by commas. ` +
      'Default: all tables',
  ),
  events: z
    .string()
    .transform(list)
    .pipe(Events)
    .optional()
    .describe('Only these operations, separated by commas. Default: all'),
  filter: FilterText.optional().describe(
    'Only records that match this filter, as JSON. ' +
      'With several tables the filter must fit each of them',
  ),
  select: z
    .string()
    .transform(list)
    .pipe(Select)
    .optional()
    .describe('Only these fields of the record, separated by commas'),
  list: flag
    .optional()
    .describe(
      'For a client that keeps a list of the records. A record that does not match `filter` after ' +
        'an `UPDATE` comes as a `DELETE` with its id only. With `table`, the first block also has ' +
        'the comment `view` and a text. If the text differs from that of the connection before, ' +
        'the caller may read something else now, so read the list again',
    ),
  from: From.optional().describe(
    'The start without a cursor: `now` (default), an instant, or a duration back such as ' +
      `\`1h\`. At most ${days} days back`,
  ),
  cursor: Cursor.optional().describe(
    'Begin after this cursor. `Last-Event-ID` overrides it. Not together with `from`',
  ),
  format: z
    .enum(['sse', 'ndjson'])
    .default('sse')
    .describe('`sse`: an endless stream. `ndjson`: one page'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(streamLimits.events)
    .optional()
    .describe('The most events of a page. Default: 100. Only with `ndjson`'),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(streamLimits.waitS)
    .optional()
    .describe(
      'Seconds that an empty page waits for its first event. Default: 0. Only with `ndjson`',
    ),
})
export type StreamQuery = z.output<typeof query>

export const streamChanges = defineOperation({
  ...managed,
  security: 'managementOrUser',
  tag: 'webhooks',
  id: 'streamChanges',
  method: 'get',
  path: '/api/rest/_stream',
  summary: 'Stream changes',
  description:
    'Sends the changes of the environment as Server-Sent Events, at least once and in commit ' +
    'order per record. `event` is the operation, `data` the body that a webhook would get, and ' +
    '`id` a cursor. Reconnect with the last `id` in `Last-Event-ID` to miss nothing for ' +
    `${days} days. A comment every 15 s brings the newest cursor. ` +
    'With `format=ndjson` the answer is one page: a line of JSON per event with `cursor`, ' +
    `\`headers\` and \`body\`, and the next cursor in \`${nextCursorHeader}\`. ` +
    `A page ends early at ${streamLimits.pageBytes / 1024} KiB. ` +
    "A user's access token gets the changes of the tables that its roles may read, within their " +
    'rules. A record that leaves the rules comes as a `DELETE` with its id only.',
  headers: tenantHeaders.extend({
    'last-event-id': Cursor.optional().describe('The `id` of the last event that you processed'),
  }),
  query,
  reply: {
    status: 200,
    schema: z.string().describe('Events, or one JSON object per line'),
    description: 'A stream of events, or a page',
  },
  mediaTypes: [eventStream, ndjson],
  errors: [...refusals, 'AUTH_TOKEN_INVALID', 'AUTH_TOKEN_EXPIRED'],
})
