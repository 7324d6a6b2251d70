import * as z from 'zod'
import { deliveryStatuses } from '../../events.ts'
import { defineOperation } from '../../operation.ts'
import { idempotencyHeader } from '../idempotency-key.ts'
import { Instant } from '../instant.ts'
import {
  Delivery,
  managed,
  refusals,
  SubscriptionInput,
  tenantHeaders,
  Warning,
} from './webhooks.ts'

const one = z.object({ id: z.string().describe('The id of the subscription') })
const common = { ...managed, tag: 'webhooks' } as const

/**
 * Limits of one query over the change log, which holds the changes of all tables. The first limit
 * reached ends it.
 */
export const lookLimits = { records: 50_000, bytes: 33_554_432, ms: 4_000 } as const

export const previewLimits = {
  ...lookLimits,
  /** Most changes of the table that are read. */
  changes: 500,
  samples: 10,
  sampleBytes: 262_144,
} as const

export const PreviewInput = SubscriptionInput.partial({
  projectId: true,
  environment: true,
  url: true,
  secret: true,
}).meta({ id: 'PreviewInput' })
export type PreviewInput = z.infer<typeof PreviewInput>

export const Preview = z
  .object({
    scanned: z.int().describe('Changes of the table that were read'),
    matched: z.int().describe('Changes that the subscription would get'),
    samples: z.array(
      z.object({
        eventId: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().describe('The exact bytes, as UTF-8'),
      }),
    ),
    warnings: z.array(Warning).optional().describe('The warnings that the subscription would have'),
  })
  .meta({ id: 'Preview' })
export type Preview = z.infer<typeof Preview>

export const previewWebhook = defineOperation({
  ...common,
  id: 'previewWebhook',
  method: 'post',
  path: '/api/rest/_webhooks/preview',
  summary: 'Preview a subscription',
  description:
    'Shows what a subscription with these fields would have received for the newest changes of its table. ' +
    'Nothing is stored or sent. ' +
    `The preview reads up to ${previewLimits.changes} changes of the table, among the newest ${previewLimits.records} records ` +
    `or ${previewLimits.bytes / 1_048_576} MiB of the log, for up to ${previewLimits.ms / 1000} s. ` +
    `It shows the newest ${previewLimits.samples} matches with up to ${previewLimits.sampleBytes / 1024} KiB of bodies. ` +
    'Without `secret` the headers have no signatures. The values of the headers in `policy` are `***`.',
  body: PreviewInput,
  reply: { status: 200, schema: Preview },
  errors: [...refusals, 'ENVIRONMENT_MISMATCH'],
})

const outcomes = [...deliveryStatuses, 'not_delivered', 'unknown'] as const

/** What became of a change at one subscription, and why. */
export const explainedOutcome = {
  outcome: z
    .enum(outcomes)
    .describe('The status of the delivery, if there is one. `unknown`: the log does not tell'),
  reason: z.string().describe('The explanation, as a sentence'),
  field: z
    .string()
    .optional()
    .describe('The first field of the subscription that kept the change out'),
  delivery: Delivery.optional(),
}

export const Explanation = z
  .object({ eventId: z.string(), ...explainedOutcome })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof Explanation>

export const explainWebhook = defineOperation({
  ...common,
  id: 'explainWebhook',
  method: 'get',
  path: '/api/rest/_webhooks/{id}/explain',
  summary: 'Explain a delivery',
  description:
    'Says why a change was, or was not, delivered to this subscription. The search begins at ' +
    'the time in a UUIDv7 event id, or at `timestamp`. The outcome is `unknown` if the search ' +
    'ends before it finds the change.',
  params: one,
  query: z.strictObject({
    eventId: z.uuid().describe('The id of the change'),
    timestamp: Instant.optional().describe('The time of the change, if its id is no UUIDv7'),
  }),
  reply: { status: 200, schema: Explanation },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'EVENT_NOT_FOUND'],
})

export const Replay = z
  .object({
    id: z.uuid(),
    webhookId: z.uuid(),
    state: z.enum(['running', 'done', 'cancelled']),
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    scanned: z.int().describe('Changes of the span that were read so far'),
    deliveries: z.int().describe('Deliveries that the replay has made'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Replay' })
export type Replay = z.infer<typeof Replay>

export const ReplayInput = z
  .strictObject({
    from: Instant.describe('The first change. At most 7 days ago'),
    until: Instant.optional().describe('The end of the span. Default: now'),
  })
  .meta({ id: 'ReplayInput' })
export type ReplayInput = z.infer<typeof ReplayInput>

export const replayWebhook = defineOperation({
  ...common,
  id: 'replayWebhook',
  method: 'post',
  path: '/api/rest/_webhooks/{id}/replay',
  summary: 'Replay changes',
  description:
    'Delivers the changes from `from` up to, but not including, `until` to this subscription ' +
    "again. The subscription's current filter and URL apply. Each change becomes a new " +
    'delivery that keeps its `webhook-id`. One replay of a subscription runs at a time.',
  headers: tenantHeaders.extend(idempotencyHeader),
  params: one,
  body: ReplayInput,
  reply: { status: 202, schema: z.object({ replayId: z.uuid() }) },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'CONFLICT'],
})

export const getReplay = defineOperation({
  ...common,
  id: 'getReplay',
  method: 'get',
  path: '/api/rest/_webhooks/{id}/replays/{replayId}',
  summary: 'Get a replay',
  description: 'Returns how many changes the replay has read and how many deliveries it has made.',
  params: one.extend({ replayId: z.string().describe('The id of the replay') }),
  reply: { status: 200, schema: Replay },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'REPLAY_NOT_FOUND'],
})
