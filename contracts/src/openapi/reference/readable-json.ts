/** Formats JSON with short objects and lists on one line. */
export function readableJson(value: unknown, indent = ''): string {
  const flat = onOneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= 80) return flat
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => `${inner}${readableJson(one, inner)}`)
    : membersOf(value).map(
        ([key, one]) => `${inner}${JSON.stringify(key)}: ${readableJson(one, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = membersOf(value).map(([key, one]) => `${JSON.stringify(key)}: ${onOneLine(one)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const membersOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, one]) => one !== undefined)
