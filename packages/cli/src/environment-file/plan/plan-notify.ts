import { isDeepStrictEqual } from 'node:util'
import { chatKindOf, shownChatUrl, showsItsEnd } from '@surehook/contracts/http/admin/chat-urls'
import type { Wishes } from '../file/wishes.ts'
import { emptyPart, type Part } from './part.ts'
import type { Change, State } from './steps.ts'

/** The URL of a chat is a secret. The plan shows what the API shows: its host and last characters. */
export function planNotify({ notify: wish }: Wishes, { notify: found }: State): Part {
  const part = emptyPart()
  if (wish === undefined || found === undefined) return part
  const chats = wish.chats.map(({ url, kind = chatKindOf(url) }) => ({ url, kind }))
  const shown = chats.map(({ url, kind }) => ({ url: shownChatUrl(url), kind }))
  const wanted = { emails: wish.emails, chats: shown, digestInterval: wish.digestInterval }
  const fields = Object.keys(wanted) as (keyof typeof wanted)[]
  const changed = fields.filter((field) => !isDeepStrictEqual(wanted[field], found[field]))
  const changes: Change[] = changed.map((field) => ({
    ...{ field, before: found[field], after: wanted[field] },
  }))
  const isUnsure = !shown.every(({ url }) => showsItsEnd(url))
  if (isUnsure && !changed.includes('chats'))
    changes.push({ field: 'chats', hidden: true, unknown: true })
  if (changes.length === 0) return part
  const input = {
    ...Object.fromEntries(changed.map((field) => [field, wanted[field]])),
    ...(changes.some(({ field }) => field === 'chats') && { chats }),
  }
  part.steps.push({ kind: 'notify', action: 'update', name: 'settings', changes, input })
  return part
}
