export { readableJson } from '@surehook/contracts/openapi/reference/readable-json'
export { code, sentence } from '@surehook/contracts/openapi/reference/words'

/** Builds a Markdown table. Cells may contain `|`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

export const fence = (language: string, text: string): string[] => [
  `\`\`\`${language}`,
  text,
  '```',
  '',
]

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
