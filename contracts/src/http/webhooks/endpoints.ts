import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { nextCursor } from '../admin/admin.ts'
import { WebhookNames } from './names.ts'
import { managed, refusals } from './webhooks.ts'

/** The most paused deliveries that are counted for one endpoint. */
export const countedPaused = 10_000

export const Endpoint = z
  .object({
    id: z.string().describe('The same for the same project, environment and URL'),
    url: z.string().describe('The URL without its query, which may hold a key'),
    webhooks: z.array(z.string()).describe('The ids of the subscriptions that deliver to it'),
    webhookNames: WebhookNames,
    circuit: z.enum(['closed', 'open']).describe('`open`: its deliveries are paused'),
    refusedWebhooks: z
      .array(z.string())
      .describe(
        'Of `webhooks`, those that are paused alone, because the URL refused five in a row',
      ),
    openUntil: z.iso.datetime().nullable().describe('When the circuit closes by itself'),
    consecutiveFailures: z
      .int()
      .describe('Failed attempts since the last success, or since the circuit opened'),
    inFlight: z.int().describe('Attempts in flight. The number is up to 3 seconds old'),
    paused: z.int().describe(`Paused deliveries. At most ${countedPaused} are counted`),
  })
  .meta({ id: 'Endpoint' })
export type Endpoint = z.infer<typeof Endpoint>

const common = { ...managed, tag: 'deliveries' } as const
const one = z.object({ id: z.string().describe('The id of the endpoint') })

export const listEndpoints = defineOperation({
  ...common,
  id: 'listEndpoints',
  method: 'get',
  path: '/api/rest/_endpoints',
  summary: 'List endpoints',
  description:
    'Returns the endpoints that subscriptions of the environment deliver to, each with its ' +
    'circuit. Pass `nextCursor` as `cursor` to read the next page.',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Entries per page'),
    cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
  }),
  reply: { status: 200, schema: z.object({ endpoints: z.array(Endpoint), nextCursor }) },
  errors: [...refusals],
})

export const getEndpoint = defineOperation({
  ...common,
  id: 'getEndpoint',
  method: 'get',
  path: '/api/rest/_endpoints/{id}',
  summary: 'Get an endpoint',
  description: 'Returns the endpoint with its circuit.',
  params: one,
  reply: { status: 200, schema: Endpoint },
  errors: [...refusals, 'ENDPOINT_NOT_FOUND'],
})

export const closeEndpoint = defineOperation({
  ...common,
  id: 'closeEndpoint',
  method: 'post',
  path: '/api/rest/_endpoints/{id}/close',
  summary: 'Close a circuit',
  description:
    'Closes the circuits of the endpoint before their cooldown ends, and forgets the failures so ' +
    'far. Its paused deliveries start within a second. A closed circuit stays closed.',
  params: one,
  reply: { status: 204, schema: z.void() },
  errors: [...refusals, 'ENDPOINT_NOT_FOUND'],
})
