/** The forms of messages that chats take. */
export const chatKinds = ['slack', 'teams', 'discord'] as const
export type ChatKind = (typeof chatKinds)[number]

const hosts: readonly [pattern: RegExp, kind: ChatKind][] = [
  [/(^|\.)discord(app)?\.com$/, 'discord'],
  [/(^|\.)(webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/, 'teams'],
]

/** The kind of chat by the URL's host. Others, such as Mattermost, take the messages of Slack. */
export function chatKindOf(url: string): ChatKind {
  const { hostname } = new URL(url)
  return hosts.find(([pattern]) => pattern.test(hostname))?.[1] ?? 'slack'
}

const hidden = '…'
/** A shorter path would be too easy to guess. */
const leastLength = 24

/** What answers show of a URL whose path is a secret: its origin and its last four characters. */
export function shownChatUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const secret = pathname + search
  return `${origin}/${hidden}${secret.length < leastLength ? '' : secret.slice(-4)}`
}

/** Tells whether a shown URL has the characters that tell it from others of its host. */
export const showsItsEnd = (shown: string): boolean => !shown.endsWith(hidden)

/** Tells whether it is a URL as answers show it. */
export const isShownChatUrl = (text: string): boolean => text.includes(`/${hidden}`)
