import * as z from 'zod'
import type { ZodOpenApiPathItemObject } from 'zod-openapi'
import { EventPayload } from '../events/event-payload.ts'
import { changeOperations } from '../events.ts'

const headers = z.object({
  'X-Service-Event': z.enum(changeOperations),
  'X-Service-Delivery': z.string().describe('The id of the event'),
  'X-Service-Signature': z.string().describe('`sha256=` and the HMAC-SHA256 of the body in hex'),
  'X-Webhook-Signature': z.string().describe('The same without the prefix'),
  'webhook-id': z.string().describe('The same on every attempt. Use it to ignore repetitions'),
  'webhook-timestamp': z.string().describe('The time of this attempt in seconds since 1970'),
  'webhook-signature': z
    .string()
    .describe('Standard Webhooks: `v1,` and base64, one for each valid secret'),
})

const example = {
  id: '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f',
  timestamp: '2026-01-01T12:00:00.000Z',
  project_id: 'shop',
  environment: 'master',
  table: 'orders',
  event: 'UPDATE',
  record: { id: '0198c5e0-11d4-7a52-b6a5-0f1c4cbe8a10', status: 'paid' },
  data: { id: '0198c5e0-11d4-7a52-b6a5-0f1c4cbe8a10', status: 'paid' },
  changed_fields: ['status'],
}

/** OpenAPI description of the request that a receiver gets. */
export const deliveryObject: ZodOpenApiPathItemObject = {
  post: {
    operationId: 'receiveDelivery',
    summary: 'Receive a delivery',
    description:
      'Surehook sends this request to the URL of each matching subscription, until the answer is ' +
      '2xx: by default up to five times.',
    tags: ['deliveries'],
    security: [],
    requestParams: { header: headers },
    requestBody: {
      required: true,
      content: { 'application/json': { schema: EventPayload, example } },
    },
    responses: {
      '2XX': { description: 'Received. Answer within 5 seconds' },
      '4XX': {
        description: 'A failure, like every other answer and none. The delivery is retried',
      },
    },
  },
}
