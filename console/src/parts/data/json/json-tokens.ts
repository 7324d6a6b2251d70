export type JsonToken = { kind: 'key' | 'string' | 'number' | 'literal' | 'plain'; text: string }

const pattern =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** Splits text for the colours of JSON. The tokens together are the text, valid JSON or not. */
export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  let end = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: text.slice(end, match.index) })
    tokens.push(...tokensOf(match))
    end = match.index + match[0].length
  }
  if (end < text.length) tokens.push({ kind: 'plain', text: text.slice(end) })
  return tokens
}

function tokensOf([whole, string, colon, number]: RegExpExecArray): JsonToken[] {
  if (string !== undefined && colon !== undefined) {
    return [
      { kind: 'key', text: string },
      { kind: 'plain', text: colon },
    ]
  }
  if (string !== undefined) return [{ kind: 'string', text: string }]
  return [{ kind: number === undefined ? 'literal' : 'number', text: whole }]
}

/** Control characters, and marks that change the direction of text, would hide what is there. */
const deceptive =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** The text with such characters written as JSON escapes. */
export const visibleText = (text: string): string =>
  text.replace(deceptive, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** JSON with two spaces. Any other text stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // The bytes of a receiver need not be JSON.
    return text
  }
}
