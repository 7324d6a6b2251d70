import type { AuthSettings, AuthSettingsChange } from '@surehook/contracts/http/admin/auth-settings'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'

/** What an environment set itself; everything else follows the defaults, also when they change. */
export type SettingsOverrides = { readonly [field: string]: unknown }

/** Absent stays, `null` goes back to the default, in groups as well as for a group as a whole. */
export function changeOverrides(
  current: SettingsOverrides,
  change: AuthSettingsChange | null | undefined,
): SettingsOverrides {
  if (change === undefined) return current
  return change === null ? {} : merge(current, change)
}

/** The settings in force: defaults with the overrides over them. */
export function fullSettings(overrides: SettingsOverrides): AuthSettings {
  const { lockout, password, mail, ...rest } = overrides
  return {
    ...defaultAuthSettings,
    ...rest,
    lockout: { ...defaultAuthSettings.lockout, ...(isGroup(lockout) ? lockout : {}) },
    password: { ...defaultAuthSettings.password, ...(isGroup(password) ? password : {}) },
    mail: { ...defaultAuthSettings.mail, ...(isGroup(mail) ? mail : {}) },
  }
}

/** Whether the environment itself says what language its mails are in. */
export function setsMailLocale({ mail }: SettingsOverrides): boolean {
  return isGroup(mail) && 'locale' in mail
}

function merge(current: SettingsOverrides, change: SettingsOverrides): SettingsOverrides {
  const merged: Record<string, unknown> = { ...current }
  for (const [field, value] of Object.entries(change)) {
    if (value === undefined) continue
    if (value === null) delete merged[field]
    else if (isGroup(value)) merged[field] = merge(groupOf(merged[field]), value)
    else merged[field] = value
  }
  return merged
}

const groupOf = (value: unknown): SettingsOverrides => (isGroup(value) ? value : {})

function isGroup(value: unknown): value is SettingsOverrides {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
