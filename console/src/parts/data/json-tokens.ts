export type JsonToken = { kind: 'key' | 'string' | 'number' | 'literal' | 'plain'; text: string }

const pattern =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** Splits JSON text for its colours. The tokens together are the text, whatever it is. */
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

/** JSON with two spaces. Any other text stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // The bytes of a receiver need not be JSON.
    return text
  }
}
