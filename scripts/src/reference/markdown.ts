/** Builds a Markdown table. Cells may contain `|`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

export const code = (text: string): string => `\`${text}\``

export const fence = (language: string, text: string): string[] => [
  `\`\`\`${language}`,
  text,
  '```',
  '',
]

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

/** Wraps a paragraph at 100 columns. */
export function paragraph(text: string): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (`${last} ${word}`.length <= 100) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return [...lines, '']
}

/** Adds the full stop that descriptions of fields may lack. */
export const sentence = (text: string): string =>
  text === '' || /[.!?]$/.test(text) ? text : `${text}.`
