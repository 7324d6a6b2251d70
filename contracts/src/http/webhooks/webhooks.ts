import * as z from 'zod'
import { changeOperations, deliveryStatuses, errorClasses } from '../../events.ts'
import { filterLimits } from '../../filter/filter.ts'
import { parseFilter } from '../../filter/parse-filter.ts'
import { JsonObject } from '../../json/json-object.ts'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { ruled } from '../../violation-rules.ts'
import { nextCursor } from '../admin/admin.ts'
import { httpsUrlFault } from '../https-url.ts'
import { idempotencyHeader } from '../idempotency-key.ts'
import { text } from '../text.ts'
import { Fingerprints } from './fingerprints.ts'
import {
  SubscriptionDescription,
  SubscriptionKey,
  SubscriptionName,
  SubscriptionSearch,
} from './names.ts'
import { Policy, PolicyInput } from './policy/policy.ts'

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length

/** Named as data tables are, or one of the reserved tables that the platform itself publishes. */
export const WatchedTable = z
  .string()
  .regex(
    /^(?:_webhooks|_deliveries|_endpoints|_sources|[a-z][a-z0-9_]{0,62})$/,
    'must be a table name: a-z, 0-9 and "_"',
  )

export const Events = z
  .array(z.enum(changeOperations))
  .min(1)
  .refine(isUnique, ruled('each event once', 'repeated'))

const ReceiverUrl = z.string().superRefine((url, context) => {
  const fault = httpsUrlFault(url)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

export const FilterInput = JsonObject.superRefine((filter, context) => {
  const parsed = parseFilter(filter)
  if (parsed.ok) return
  for (const { field, message, rule } of parsed.violations) {
    context.addIssue({
      code: 'custom',
      message,
      params: { rule },
      path: field === '' ? [] : field.split('.'),
    })
  }
}).meta({
  description:
    `Deliver only records that match. At most ${filterLimits.conditions} conditions, ` +
    `${filterLimits.operands} operands, ${filterLimits.listLength} elements per list ` +
    `and ${filterLimits.bytes} bytes of JSON`,
})

export const Select = z
  .array(text(128))
  .min(1)
  .max(500)
  .refine(isUnique, ruled('each field once', 'repeated'))

/** Fields that a client sends. Responses never contain `secret`. */
const writable = {
  name: SubscriptionName.nullable().describe('One line for people. It need not be unique'),
  key: SubscriptionKey.nullable().describe(
    'Unique in the environment: configuration files find the subscription by it',
  ),
  description: SubscriptionDescription.nullable().describe(
    'What it is for: plain text, which may have line breaks',
  ),
  projectId: ProjectId,
  environment: EnvironmentName,
  table: WatchedTable.describe(
    'The table to watch. It need not exist yet. `_webhooks`, `_deliveries`, `_endpoints` and ' +
      '`_sources` have events about subscriptions, dead letters, failing endpoints and sources',
  ),
  events: Events.describe('The operations to deliver'),
  url: ReceiverUrl.describe('An https URL of up to 2,048 characters'),
  secret: text(256).describe('Signs the deliveries. No answer holds it'),
  active: z.boolean().describe('Default true. An inactive subscription gets no deliveries'),
  filter: FilterInput.nullable(),
  select: Select.nullable().describe('The fields to deliver. Absent or null: all'),
  policy: PolicyInput.nullable(),
}

export const SubscriptionInput = z
  .strictObject({
    ...writable,
    name: writable.name.optional(),
    key: writable.key.optional(),
    description: writable.description.optional(),
    active: writable.active.optional(),
    filter: writable.filter.optional(),
    select: writable.select.optional(),
    policy: writable.policy.optional(),
  })
  .meta({ id: 'SubscriptionInput' })
export type SubscriptionInput = z.infer<typeof SubscriptionInput>

const maxOverlapS = 30 * 86_400

export const SubscriptionChange = z
  .strictObject({
    ...writable,
    secretOverlap: z
      .int()
      .min(0)
      .max(maxOverlapS)
      .describe('Seconds for which the replaced secret signs too. Default: 24 hours'),
  })
  .partial()
  .refine((change) => change.secretOverlap === undefined || change.secret !== undefined, {
    path: ['secretOverlap'],
    message: 'only together with secret',
  })
  .meta({ id: 'SubscriptionChange' })
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

export const Warning = z
  .object({
    field: z.string().describe('A path, such as `table` or `filter.status`'),
    message: z.string().describe('The warning, as a sentence'),
  })
  .meta({ id: 'Warning' })
export type Warning = z.infer<typeof Warning>

export const Subscription = z
  .object({
    id: z.uuid(),
    name: z.string().optional().describe('One line for people. Absent without a name'),
    key: z.string().optional().describe('Configuration files find it by its key'),
    description: z.string().optional().describe('What it is for. It may have line breaks'),
    projectId: ProjectId,
    environment: EnvironmentName,
    table: z.string(),
    events: z.array(z.enum(changeOperations)),
    url: z.string(),
    active: z.boolean(),
    filter: JsonObject.optional().describe('Absent without a filter'),
    select: z.array(z.string()).optional().describe('Absent if every field is sent'),
    policy: Policy.optional().describe('Absent if all of it has its default'),
    createdAt: z.iso.datetime(),
    disabledAt: z.iso
      .datetime()
      .optional()
      .describe('When it was deactivated because every attempt failed for too long'),
    disabledReason: z.string().optional().describe('Absent once you set it active again'),
    previousSecretExpiresAt: z.iso
      .datetime()
      .optional()
      .describe('When the last replaced secret stops signing. Absent if only the current signs'),
    warnings: z
      .array(Warning)
      .optional()
      .describe('What may keep it from working, or what was dropped. Absent without a warning'),
    fingerprints: Fingerprints.optional().describe('Only with `fingerprints=true`'),
  })
  .meta({ id: 'Subscription' })
export type Subscription = z.infer<typeof Subscription>

export const Delivery = z
  .object({
    id: z.string(),
    eventId: z.string().describe('The change that it delivers'),
    status: z.enum(deliveryStatuses).describe('The state of the delivery'),
    httpStatus: z
      .int()
      .nullable()
      .describe('HTTP status of the last attempt. null before the first answer'),
    attempts: z.int().describe('Attempts so far'),
    createdAt: z.iso.datetime(),
    lastError: z.enum(errorClasses).nullable().describe('The class of the last failure'),
    nextAttemptAt: z.iso.datetime().nullable().describe('null if no attempt is due'),
    redeliveryOf: z.string().nullable().describe('The delivery that this one sends again'),
  })
  .meta({ id: 'Delivery' })
export type Delivery = z.infer<typeof Delivery>

/** Tenant of a management call. Every call must send both headers. */
export const tenantHeaders = z.object({ 'x-project-id': ProjectId, environment: EnvironmentName })
const one = z.object({ id: z.string().describe('The id of the subscription') })
export const managed = {
  security: 'management',
  right: 'webhooks',
  headers: tenantHeaders,
} as const
const common = { ...managed, tag: 'webhooks' } as const
export const refusals = [
  'VALIDATION_ERROR',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMIT_EXCEEDED',
] as const

export const createWebhook = defineOperation({
  ...common,
  id: 'createWebhook',
  method: 'post',
  path: '/api/rest/_webhooks',
  summary: 'Create a subscription',
  description:
    'Subscribes a URL to the changes of a table. Changes that commit after the answer are ' +
    'matched with it. `warnings` name settings that may keep the subscription from working, ' +
    'such as an unknown table.',
  headers: tenantHeaders.extend(idempotencyHeader),
  body: SubscriptionInput,
  reply: { status: 201, schema: Subscription },
  errors: [...refusals, 'ENVIRONMENT_MISMATCH', 'CONFLICT'],
})

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

export const listWebhooks = defineOperation({
  ...common,
  id: 'listWebhooks',
  method: 'get',
  path: '/api/rest/_webhooks',
  summary: 'List subscriptions',
  description:
    'Returns the subscriptions of the environment, newest first. Pass `nextCursor` as ' +
    '`cursor` to read the next page.',
  query: z.strictObject({
    table: WatchedTable.optional().describe('Only subscriptions to this table'),
    active: flag.optional().describe('Only active, or only inactive, subscriptions'),
    search: SubscriptionSearch,
    fingerprints: flag
      .optional()
      .describe('Adds fingerprints, which tell whether a secret is the one that you know'),
    limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Entries per page'),
    cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
  }),
  reply: {
    status: 200,
    schema: z.object({ webhooks: z.array(Subscription), nextCursor }),
  },
  errors: [...refusals],
})

export const getWebhook = defineOperation({
  ...common,
  id: 'getWebhook',
  method: 'get',
  path: '/api/rest/_webhooks/{id}',
  summary: 'Get a subscription',
  description: 'Returns the subscription and its newest 50 deliveries. No answer holds the secret.',
  params: one,
  reply: {
    status: 200,
    schema: z.object({ webhook: Subscription, deliveries: z.array(Delivery) }),
  },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND'],
})

export const updateWebhook = defineOperation({
  ...common,
  id: 'updateWebhook',
  method: 'patch',
  path: '/api/rest/_webhooks/{id}',
  summary: 'Change a subscription',
  description:
    'Changes the fields in the request. `null` removes a filter, a selection, a name, a key or a description. `policy` is ' +
    'merged: an absent key stays, `null` sets its default. A new secret signs a moment after the ' +
    'answer. The replaced secret signs too, until `previousSecretExpiresAt`. With another origin in ' +
    '`url`, the headers of `policy` are dropped unless you send them again, and `warnings` names them. ' +
    'You cannot change `projectId` and `environment`. A key that another subscription has gets 409.',
  params: one,
  body: SubscriptionChange,
  reply: { status: 200, schema: Subscription },
  errors: [...refusals, 'ENVIRONMENT_MISMATCH', 'WEBHOOK_NOT_FOUND', 'CONFLICT'],
})

export const deleteWebhook = defineOperation({
  ...common,
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/rest/_webhooks/{id}',
  summary: 'Delete a subscription',
  description: 'Ends the subscription. Its open deliveries are cancelled.',
  params: one,
  reply: { status: 204, schema: z.void() },
  errors: [...refusals, 'WEBHOOK_NOT_FOUND'],
})
