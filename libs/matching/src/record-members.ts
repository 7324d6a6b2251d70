const quote = 34
const backslash = 92
const comma = 44
const colon = 58
const open = new Set([123, 91])
const close = new Set([125, 93])

/**
 * Splits a JSON object into its members without changing a byte. Parsing and serialising could
 * change a number.
 * @param json a text that JSON.parse accepts as an object
 */
export function recordMembers(json: string): Map<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let start = 0
  let key = ''
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === quote) {
      index = endOfString(json, index)
    } else if (depth === 1 && code === colon) {
      key = JSON.parse(json.slice(start, index)) as string
      start = index + 1
    } else if (depth === 1 && (code === comma || close.has(code))) {
      const text = json.slice(start, index).trim()
      // An empty object has no member.
      if (text !== '') members.set(key, text)
      start = index + 1
    }
    if (open.has(code)) {
      depth += 1
      if (depth === 1) start = index + 1
    } else if (close.has(code)) {
      depth -= 1
    }
  }
  return members
}

/** Index of the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let index = start + 1
  while (json.charCodeAt(index) !== quote) index += json.charCodeAt(index) === backslash ? 2 : 1
  return index
}
