import {
  type ChatKind,
  chatKindOf,
  isShownChatUrl,
  shownChatUrl,
} from '@surehook/contracts/http/admin/chat-urls'
import {
  defaultNotifySettings,
  type NotifySettings,
  type NotifySettingsChange,
} from '@surehook/contracts/http/admin/notify-settings'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { invalid } from '@surehook/service-kit/errors'
import type { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { changeOverrides, type SettingsOverrides } from '../platform/auth-settings.ts'

/** The URL is encrypted for its environment. `shown` is what answers show of it. */
export type StoredChat = { kind: ChatKind; shown: string; sealed: string }

export type NotifyFailures = Readonly<Record<string, { at: string; reason: string }>>

type Overrides = { emails?: string[]; chats?: StoredChat[]; digestInterval?: number }

/** The context that seals the URLs of chats: they open only for their environment. */
export const chatContext = (project: string, environment: string) =>
  `notify/${project}/${environment}`

export const chatsOf = (overrides: SettingsOverrides): StoredChat[] =>
  (overrides as Overrides).chats ?? []

/** Returns who is told about failing webhooks, as answers show it. */
export function notifySettings(
  overrides: SettingsOverrides,
  failures: NotifyFailures = {},
): NotifySettings {
  const settings = {
    ...{ ...defaultNotifySettings, ...overrides },
    chats: chatsOf(overrides).map(({ kind, shown }) => ({ kind, url: shown })),
  }
  const recipients = [...settings.emails, ...settings.chats.map(({ url }) => url)]
  return {
    ...settings,
    failures: recipients.flatMap((recipient) => {
      const failure = failures[recipient]
      return failure === undefined ? [] : [{ recipient, ...failure }]
    }),
  }
}

export const isNotified = ({ emails, chats }: NotifySettings): boolean =>
  emails.length + chats.length > 0

export type NotifyDeps = { box: SecretBox; guard: Pick<AddressGuard, 'checkLiteral'> }

type NotifyChange = {
  name: { project: string; environment: string }
  current: SettingsOverrides
  change: NotifySettingsChange | null | undefined
}

/** Applies a change, and encrypts new URLs of chats. Throws a violation for each fault. */
export function changeNotify(
  { box, guard }: NotifyDeps,
  { name, current, change }: NotifyChange,
): SettingsOverrides {
  const { chats: given, ...others } = change ?? {}
  const changed = changeOverrides(current, change && others)
  if (given === undefined) return changed
  const violations: RuledViolation[] = []
  const known = new Map(chatsOf(current).map((chat) => [chat.shown, chat]))
  const chats = (given ?? []).flatMap(({ url, kind }, index): StoredChat[] => {
    const refuse = (message: string, rule: RuledViolation['rule']) => {
      violations.push({ field: `notify.chats.${index}.url`, message, rule })
      return []
    }
    if (isShownChatUrl(url)) {
      const stored = known.get(url)
      if (stored === undefined)
        return refuse('is no stored URL: send the whole URL', 'invalid_value')
      return [{ ...stored, kind: kind ?? stored.kind }]
    }
    try {
      guard.checkLiteral(new URL(url).hostname)
    } catch {
      return refuse('must not be a private address', 'invalid_value')
    }
    const sealed = box.seal(url, chatContext(name.project, name.environment))
    return [{ kind: kind ?? chatKindOf(url), shown: shownChatUrl(url), sealed }]
  })
  if (new Set(chats.map(({ shown }) => shown)).size < chats.length) {
    const message = 'must differ in their host or their last four characters'
    violations.push({ field: 'notify.chats', message, rule: 'repeated' })
  }
  if (violations.length > 0) throw invalid(violations)
  const { chats: _before, ...rest } = changed
  return given === null ? rest : { ...rest, chats }
}
