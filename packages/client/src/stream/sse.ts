/** The lines between two empty lines: an event, a new cursor, or a comment. */
export type Block = {
  id: string | undefined
  data: string | undefined
  comment?: string | undefined
}

/** Splits Server-Sent Events as Surehook writes them: lines end with `\n`, no byte order mark. */
export class BlockReader {
  #rest = ''

  /** Returns the blocks that `text` completes. */
  push(text: string): Block[] {
    // Only what is new can hold the end, with the line break before it.
    const from = Math.max(0, this.#rest.length - 1)
    this.#rest += text
    if (!this.#rest.includes('\n\n', from)) return []
    const blocks = this.#rest.split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.map(blockOf)
  }
}

function blockOf(text: string): Block {
  const data: string[] = []
  let id: string | undefined
  let comment: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('data: ')) data.push(line.slice(6))
    else if (line.startsWith('id: ')) id = line.slice(4)
    else if (line.startsWith(': ')) comment = line.slice(2)
  }
  return { id, data: data.length === 0 ? undefined : data.join('\n'), comment }
}
