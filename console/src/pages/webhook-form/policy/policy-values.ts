import type { Violation } from '@surehook/client'
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../parts/forms/json-object.ts'

/** What each part of the form gets. It changes the whole text. */
export type PolicyProps = {
  policy: JsonObject
  onChange: (text: string) => void
  violations: readonly Violation[]
}

/** The keys of a policy that the form has a control for. */
const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  retryDelays: (value) => value === 'extended' || isListOfText(value),
  concurrency: isTyped,
  rateLimit: (value) =>
    isJsonObject(value) && Object.keys(value).every((key) => key === 'perSecond'),
  ordered: (value) => value === 'record',
  retryAfter: (value) => typeof value === 'boolean',
  gone: (value) => value === 'deactivate',
  headers: (value) => isJsonObject(value) && Object.values(value).every(isText),
}

/** The policy of a text, or null if the form cannot show all of it. Empty text is no policy. */
export function policyIn(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  const parsed = jsonObjectIn(text)
  if ('fault' in parsed) return null
  const isShown = Object.entries(parsed.value).every(
    ([key, value]) => value === null || shapes[key]?.(value) === true,
  )
  return isShown ? parsed.value : null
}

/** The text with another value of a key. Undefined takes the key away. */
export function withKey(policy: JsonObject, key: string, value: unknown): string {
  const { [key]: _, ...others } = policy
  const next = value === undefined ? others : { ...policy, [key]: value }
  return Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2)
}

/** `null` is the default too. */
export const delaysIn = ({ retryDelays }: JsonObject): 'extended' | readonly string[] | null =>
  retryDelays === 'extended' || isListOfText(retryDelays) ? retryDelays : null

/** Names and values, in their order. */
export const headersIn = ({ headers }: JsonObject): readonly (readonly [string, string])[] =>
  isJsonObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : []

/** What a control for numbers shows: an unfinished number is text. */
export const amountIn = (value: unknown): string | number => (isTyped(value) ? value : '')

export const perSecondIn = ({ rateLimit }: JsonObject): string | number =>
  amountIn(isJsonObject(rateLimit) ? rateLimit['perSecond'] : undefined)

function isTyped(value: unknown): value is string | number {
  return typeof value === 'number' || isText(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}
