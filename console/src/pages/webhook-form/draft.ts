import type { NewWebhook, Subscription, Violation, WebhookChange } from '@surehook/client'
import { filterIn } from '../../parts/filter/model/filter-text.ts'
import { type JsonObject, jsonObjectIn } from '../../parts/forms/json-object.ts'

export const operations = ['INSERT', 'UPDATE', 'DELETE'] as const
export type Operation = (typeof operations)[number]

/** What the form holds: text as it was typed. */
export type Draft = {
  name: string
  description: string
  key: string
  table: string
  events: readonly Operation[]
  url: string
  secret: string
  filter: string
  /** Names, separated by commas. */
  select: string
  policy: string
  active: boolean
}

export const emptyDraft: Draft = {
  name: '',
  description: '',
  key: '',
  table: '',
  events: operations,
  url: '',
  secret: '',
  filter: '',
  select: '',
  policy: '',
  active: true,
}

export function draftOf(webhook: Subscription): Draft {
  const { table, events, url, filter, select, active } = webhook
  return {
    name: webhook.name ?? '',
    description: webhook.description ?? '',
    key: webhook.key ?? '',
    table,
    events,
    url,
    secret: '',
    filter: textOf(filter),
    select: select?.join(', ') ?? '',
    policy: policyText(webhook),
    active,
  }
}

const textOf = (value: object | undefined) =>
  value === undefined ? '' : JSON.stringify(value, null, 2)

/** No answer holds the values of headers, so they cannot be shown. */
function policyText({ policy }: Subscription): string {
  if (policy === undefined) return ''
  const { headerNames: _, ...shown } = policy
  return Object.keys(shown).length === 0 ? '' : textOf(shown)
}

type ParsedDraft = Pick<NewWebhook, 'table' | 'events' | 'filter' | 'select'>

/** What a preview needs, or what is wrong with the text. */
export function parseDraft(draft: Draft): { parsed: ParsedDraft; violations: Violation[] } {
  const { filter, violations } = filterIn(draft.filter, 'filter')
  const select = namesIn(draft.select)
  return {
    parsed: {
      table: draft.table,
      events: [...draft.events],
      filter,
      select: select.length === 0 ? null : select,
    },
    violations: [
      ...(draft.table === '' ? [{ field: 'table', message: 'must be set' }] : []),
      ...(draft.events.length === 0 ? [{ field: 'events', message: 'must be at least one' }] : []),
      ...violations,
    ],
  }
}

export type Outcome<Input> = { input: Input; violations: Violation[] }

export function newWebhookOf(draft: Draft): Outcome<NewWebhook> {
  const { parsed, violations } = parseDraft(draft)
  const policy = objectIn(draft.policy, 'policy')
  return {
    input: { ...parsed, ...plainFields(draft), secret: draft.secret, policy: policy.value },
    violations: [...violations, ...policy.violations],
  }
}

/** The fields that a preview does not need. */
const plainFields = (draft: Draft) => ({
  name: textOrNull(draft.name),
  description: textOrNull(draft.description),
  key: textOrNull(draft.key),
  url: draft.url,
  active: draft.active,
})

const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim())

/** Sends what differs. An untouched policy keeps its headers, whose values nobody can read. */
export function changeOf(draft: Draft, webhook: Subscription): Outcome<WebhookChange> {
  const before = draftOf(webhook)
  const { parsed, violations } = parseDraft(draft)
  const policy = objectIn(draft.policy, 'policy')
  const change = policyChange(before.policy, policy.value)
  const all: WebhookChange = { ...parsed, ...plainFields(draft), policy: change }
  const isChanged = (name: string) => {
    const key = name as keyof Draft
    return JSON.stringify(draft[key]) !== JSON.stringify(before[key])
  }
  const input = Object.fromEntries(Object.entries(all).filter(([name]) => isChanged(name)))
  return { input, violations: [...violations, ...policy.violations] }
}

/** The API merges: an absent key stays. A key that is no longer shown is null, which resets it. */
function policyChange(shown: string, value: JsonObject | null): JsonObject {
  const keys = Object.keys(objectIn(shown, 'policy').value ?? {})
  return { ...Object.fromEntries(keys.map((key) => [key, null])), ...value }
}

/** The violations of what was sent that nobody has changed since. */
export const stillTrue = (
  violations: readonly Violation[],
  { sent, draft }: { sent: Draft | undefined; draft: Draft },
): readonly Violation[] =>
  violations.filter(({ field }) => {
    const name = field.split('.', 1)[0] as keyof Draft
    return sent === undefined || sent[name] === draft[name]
  })

/** No text: there is no such object. */
function objectIn(
  text: string,
  field: string,
): { value: JsonObject | null; violations: Violation[] } {
  if (text.trim() === '') return { value: null, violations: [] }
  const parsed = jsonObjectIn(text)
  if ('value' in parsed) return { value: parsed.value, violations: [] }
  return { value: null, violations: [{ field, message: parsed.fault }] }
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
