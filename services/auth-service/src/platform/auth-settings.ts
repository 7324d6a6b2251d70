import type { AuthSettings, AuthSettingsChange } from '@surehook/contracts/http/admin/auth-settings'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import {
  type LimitSettings,
  type LimitSettingsChange,
  noLimitSettings,
} from '@surehook/contracts/http/admin/limit-settings'
import type { NotifySettingsChange } from '@surehook/contracts/http/admin/notify-settings'

/**
 * The settings that an environment set itself. All others follow the defaults, also when a release
 * changes those.
 */
export type SettingsOverrides = { readonly [field: string]: unknown }

/**
 * Applies a change: an absent field stays, and `null` restores the default, for a single field as
 * well as for a whole group.
 */
export function changeOverrides(
  current: SettingsOverrides,
  change: AuthSettingsChange | LimitSettingsChange | NotifySettingsChange | null | undefined,
): SettingsOverrides {
  if (change === undefined) return current
  return change === null ? {} : merge(current, change)
}

/** Returns the effective settings: the overrides on top of the defaults. */
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

/** Returns the limits that the environment set, and null for the others. */
export function limitSettings({ data, webhooks }: SettingsOverrides): LimitSettings {
  return {
    data: { ...noLimitSettings.data, ...groupOf(data) },
    webhooks: { ...noLimitSettings.webhooks, ...groupOf(webhooks) },
  }
}

/** Tells whether the environment sets the language of its mails. */
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
