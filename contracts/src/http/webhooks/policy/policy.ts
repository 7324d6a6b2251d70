import * as z from 'zod'
import { isJsonObject } from '../../../json/json-object.ts'
import { headerFaults, ownHeaderLimits } from './own-headers.ts'

const { count, bytes } = ownHeaderLimits

const headersJson = {
  type: 'object',
  maxProperties: count,
  additionalProperties: { type: 'string' },
} as const

/** Like `JsonObject`, this keeps every name, also `__proto__`. */
const OwnHeaders = z
  .custom<Record<string, string>>(isJsonObject, 'must be an object')
  .meta({ override: headersJson })
  .superRefine((headers, context) => {
    for (const fault of headerFaults(headers)) context.addIssue({ code: 'custom', ...fault })
  })
  .meta({
    description:
      `Headers to send with each attempt: up to ${count}, with ${bytes} bytes of names and ` +
      'values. Replaces all that were set. No answer holds the values',
  })

/** The delays that `extended` stands for: 12 retries within 51 to 56 hours. */
export const extendedDelays = [
  ...['1s', '5s', '30s', '5m', '30m', '2h'],
  ...['8h', '8h', '8h', '8h', '8h', '8h'],
] as const

const Delay = z.string().regex(/^\d{1,9}(?:ms|s|m|h|d)$/, 'must be a duration such as 30s')

const RetryDelays = z
  .union([z.literal('extended'), z.array(Delay).min(1).max(20)])
  .describe(
    'The delays before the second and each further attempt, 1 to 20, each of the installation. ' +
      `\`extended\` stands for ${extendedDelays.join(' ')}`,
  )

const Concurrency = z.int().min(1).max(32).describe('Attempts of the subscription in flight')

const RateLimit = z
  .strictObject({
    perSecond: z.number().min(0.1).max(1_000).describe('Attempts that start per second'),
  })
  .describe('The limit of the subscription')

/** The policy in a request. `null` resets a key to its default. */
export const PolicyInput = z
  .strictObject({
    headers: OwnHeaders.nullable().optional(),
    retryAfter: z
      .boolean()
      .nullable()
      .optional()
      .describe(
        'true: no retry before the time in `Retry-After` of a 429 or 503, at most 1 hour later',
      ),
    gone: z
      .literal('deactivate')
      .nullable()
      .optional()
      .describe('`deactivate`: an answer 410 deactivates the subscription'),
    retryDelays: RetryDelays.nullable().optional(),
    concurrency: Concurrency.nullable().optional(),
    rateLimit: RateLimit.nullable().optional(),
    ordered: z
      .literal('record')
      .nullable()
      .optional()
      .describe(
        '`record`: a later change of a record is not sent before the earlier one is delivered, a ' +
          'dead letter or cancelled',
      ),
  })
  .meta({ id: 'DeliveryPolicyInput', description: 'How deliveries are sent. null: all defaults' })
export type PolicyInput = z.infer<typeof PolicyInput>

/** The policy in a response: only keys that are not at their default. */
export const Policy = z
  .object({
    headerNames: z
      .array(z.string())
      .optional()
      .describe('The names of the headers, sorted. Absent without headers'),
    retryAfter: z.boolean().optional().describe('Absent for false'),
    gone: z.literal('deactivate').optional().describe('Absent if a 410 only fails'),
    retryDelays: z
      .array(z.string())
      .optional()
      .describe("The delays before the retries. Absent for the installation's own"),
    concurrency: z.int().optional().describe("Absent for the installation's own"),
    rateLimit: z.object({ perSecond: z.number() }).optional().describe('Absent without a limit'),
    ordered: z
      .literal('record')
      .optional()
      .describe('Absent if a retry may come after a later change of its record'),
  })
  .meta({ id: 'DeliveryPolicy' })
export type Policy = z.infer<typeof Policy>
