/** Control characters, line separators, and characters that reverse the direction of text. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const unseenInLines = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/**
 * Escapes what a terminal would obey or hide, such as `\u001b`. Text of a server, a receiver or a
 * record must not erase lines, forge them or change the clipboard. The result is one line.
 */
export const visible = (text: string): string => text.replace(unseen, escapeOf)

/** The same for text of several lines. */
export const visibleLines = (text: string): string => text.replace(unseenInLines, escapeOf)

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeOf = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
