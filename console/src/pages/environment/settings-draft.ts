import type { Environment, EnvironmentInput, Violation } from '@surehook/client'
import { type SettingField, settingFields } from './settings-fields.ts'

/** An older auth-service has no limits, no alerts and no issuers. */
type Settings = Pick<Environment, 'auth'> &
  Partial<Pick<Environment, 'limits' | 'notify' | 'trustedIssuers'>>
/** Each setting as the form holds it. A flag is `true` or empty. Empty text is null. */
export type SettingsDraft = Readonly<Record<string, string>>

export const draftOf = (settings: Settings): SettingsDraft =>
  Object.fromEntries(
    settingFields.map(({ path, kind }) => {
      const value = valueAt(settings, path)
      return [path, kind === 'json' ? jsonOf(value) : textOf(value)]
    }),
  )

function valueAt(settings: Settings, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      settings,
    )
}

function textOf(value: unknown): string {
  if (value === true) return 'true'
  if (Array.isArray(value)) return value.map(entryOf).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

const jsonOf = (list: unknown): string =>
  Array.isArray(list) && list.length > 0 ? JSON.stringify(list, null, 2) : ''

const entryOf = (entry: unknown): string =>
  typeof entry === 'string' ? entry : (entry as { url: string }).url

/** Only what differs from the stored settings, and what is wrong with it. */
export function changesOf(
  draft: SettingsDraft,
  stored: SettingsDraft,
): { input: EnvironmentInput; violations: Violation[]; count: number } {
  const violations: Violation[] = []
  const changed = settingFields.filter(({ path }) => draft[path] !== stored[path])
  const input = {}
  for (const field of changed) {
    const value = valueOf(field, draft[field.path] ?? '')
    if (value === undefined || Number.isNaN(value)) {
      const message = field.kind === 'json' ? 'must be JSON' : 'must be a whole number'
      violations.push({ field: field.path, message })
    } else put(input, field.path, value)
  }
  return { input, violations, count: changed.length }
}

/** Returns `NaN` or `undefined` for text of another kind. The API checks what JSON says. */
function valueOf({ kind }: SettingField, text: string): unknown {
  if (kind === 'flag') return text === 'true'
  const trimmed = text.trim()
  if (trimmed === '') return null
  if (kind === 'text') return trimmed
  if (kind === 'json') return parsed(trimmed)
  const entries = trimmed.split(',').map((one) => one.trim())
  if (kind === 'list') return entries
  if (kind === 'urls') return entries.map((url) => ({ url }))
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function put(input: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let place = input
  for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>
  place[last] = value
}
