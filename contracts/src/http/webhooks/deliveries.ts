import * as z from 'zod'
import { cancellable, deliveryStatuses, errorClasses } from '../../events.ts'
import { defineOperation } from '../../operation.ts'
import { nextCursor } from '../admin/admin.ts'
import { idempotencyHeader } from '../idempotency-key.ts'
import { Instant } from '../instant.ts'
import { Delivery, managed, refusals, tenantHeaders } from './webhooks.ts'

export const DeliveryAttempt = z
  .object({
    at: z.iso.datetime().describe('When the attempt began'),
    attempt: z.int().describe('From 1'),
    outcome: z.enum(deliveryStatuses).describe('The status of the delivery after the attempt'),
    url: z.string().describe('The URL that was called'),
    httpStatus: z.int().nullable().describe('null without an answer'),
    latencyMs: z.int().nullable().describe('Duration of the attempt'),
    errorClass: z.enum(errorClasses).nullable().describe('null after a success'),
    errorMessage: z.string().nullable().describe('null after a success'),
    answer: z.string().nullable().describe("The first 4 KiB of the receiver's answer"),
  })
  .meta({ id: 'DeliveryAttempt' })
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

export const DeliveryDetail = Delivery.extend({
  webhookId: z.string().nullable().describe('The header `webhook-id`. A redelivery has the same'),
  body: z
    .string()
    .nullable()
    .describe(
      'The exact bytes that are sent and signed. null until the job was read, and for a body that was too large',
    ),
  attemptLog: z.array(DeliveryAttempt).describe('In the order of the attempts'),
  retryDelays: z
    .array(z.string())
    .describe(
      "The delays before the second and each further attempt: the subscription's as it is now, " +
        "or the installation's. An attempt starts up to 10 % later",
    ),
}).meta({ id: 'DeliveryDetail' })
export type DeliveryDetail = z.infer<typeof DeliveryDetail>

export const RecoverInput = z
  .strictObject({
    since: Instant.describe('Only deliveries made at or after this time'),
    until: Instant.optional().describe('Only deliveries made before this time. Default: now'),
  })
  .refine(({ since, until }) => until === undefined || since < until, {
    path: ['until'],
    message: 'must be later than since',
  })
  .meta({ id: 'RecoverInput' })
export type RecoverInput = z.infer<typeof RecoverInput>

export const CancelInput = z
  .strictObject({
    status: z.enum(cancellable).describe('The state of the deliveries to cancel'),
    until: Instant.optional().describe('Only deliveries made until then. Default: now'),
  })
  .meta({ id: 'CancelInput' })
export type CancelInput = z.infer<typeof CancelInput>

const common = { ...managed, tag: 'deliveries' } as const
const headers = tenantHeaders.extend(idempotencyHeader)
const one = z.object({ id: z.string().describe('The id of the subscription') })
const ofOne = one.extend({ deliveryId: z.string().describe('The id of the delivery') })

export const listDeliveries = defineOperation({
  ...common,
  id: 'listDeliveries',
  method: 'get',
  path: '/api/rest/_webhooks/{id}/deliveries',
  summary: 'List deliveries',
  description:
    'Returns the deliveries of the subscription, newest first. Pass `nextCursor` as `cursor` ' +
    'to read the next page.',
  params: one,
  query: z.strictObject({
    status: z.enum(deliveryStatuses).optional().describe('Only deliveries in this state'),
    eventId: z
      .string()
      .min(1)
      .max(128)
      .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be valid text')
      .optional(),
    since: Instant.optional().describe('Only deliveries made at or after this time'),
    limit: z.coerce.number().int().min(1).max(1000).default(50).describe('Entries per page'),
    cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
  }),
  reply: {
    status: 200,
    schema: z.object({ deliveries: z.array(Delivery), nextCursor }),
  },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND'],
})

export const getDelivery = defineOperation({
  ...common,
  id: 'getDelivery',
  method: 'get',
  path: '/api/rest/_webhooks/{id}/deliveries/{deliveryId}',
  summary: 'Get a delivery',
  description:
    'Returns the delivery, the exact body that is sent, the log of its attempts, and the delays ' +
    'of further attempts.',
  params: ofOne,
  reply: { status: 200, schema: DeliveryDetail },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
})

export const redeliver = defineOperation({
  ...common,
  id: 'redeliver',
  method: 'post',
  path: '/api/rest/_webhooks/{id}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a delivery again',
  description:
    'Creates a new delivery with the same body, the same `webhook-id` and all its attempts. It ' +
    "goes to the subscription's current URL.",
  headers,
  params: ofOne,
  reply: { status: 202, schema: z.object({ deliveryId: z.string() }) },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
})

/** The most deliveries that an answer counts. A count of all could take longer than a request. */
export const countedDeliveries = 100_000
const counted = `At most ${countedDeliveries.toLocaleString('en-US')} are counted, however many there are`

export const recoverWebhook = defineOperation({
  ...common,
  id: 'recoverWebhook',
  method: 'post',
  path: '/api/rest/_webhooks/{id}/recover',
  summary: 'Recover dead letters',
  description:
    'Sends every dead letter of the span again that was not sent again yet. The work runs in ' +
    'the background. It skips deliveries whose body has expired.',
  headers,
  params: one,
  body: RecoverInput,
  reply: {
    status: 202,
    schema: z.object({
      count: z
        .int()
        .describe(`Dead letters to send again, including those whose body has expired. ${counted}`),
    }),
  },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'CONFLICT'],
})

export const cancelDeliveries = defineOperation({
  ...common,
  id: 'cancelDeliveries',
  method: 'post',
  path: '/api/rest/_webhooks/{id}/cancel',
  summary: 'Cancel deliveries',
  description:
    'Cancels the deliveries of the subscription that are retrying, or paused, and were made ' +
    'until `until`. A moment after the answer, no new attempt of them starts. A retrying delivery ' +
    'becomes `cancelled` when its next attempt is due.',
  headers,
  params: one,
  body: CancelInput,
  reply: {
    status: 202,
    schema: z.object({
      count: z.int().describe(`Deliveries in this state, as the history knows them. ${counted}`),
    }),
  },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'CONFLICT'],
})

export const testWebhook = defineOperation({
  ...common,
  id: 'testWebhook',
  method: 'post',
  path: '/api/rest/_webhooks/{id}/test',
  summary: 'Send a test event',
  description:
    'Sends a synthetic event with the record `{ "test": true }`. The filter does not apply.',
  headers,
  params: one,
  reply: { status: 202, schema: z.object({ eventId: z.string(), deliveryId: z.string() }) },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND', 'CONFLICT'],
})
