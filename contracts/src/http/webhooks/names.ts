import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'
import { SearchText } from '../text.ts'

const lineText = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u
const linesText = /^(?:[\n\r\t]|[^\p{Cc}])*$/u

/** Text for people. White space around it is removed. */
const label = (max: number, pattern: RegExp) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(
      (value) => value.isWellFormed() && pattern.test(value),
      ruled('must be valid text without control characters', 'invalid_text'),
    )

export const SubscriptionName = label(100, lineText)
export const SubscriptionDescription = label(500, linesText)

export const SubscriptionKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9, "_" and "-"')

export const SubscriptionSearch = SearchText.optional().describe(
  'Only subscriptions whose name, key or URL contains this text, in upper or lower case',
)

export const WebhookName = z
  .string()
  .nullable()
  .describe('The name of the subscription, else its key. null: it has neither')

export const WebhookNames = z
  .record(z.string(), z.string())
  .optional()
  .describe('By id, the name or else the key of those `webhooks` that have one')
