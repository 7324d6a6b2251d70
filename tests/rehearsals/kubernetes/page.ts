import { readFile } from 'node:fs/promises'

/**
 * A block of commands, named by its heading and number: the first one below `Upgrade, and back` is
 * "Upgrade, and back 1".
 */
export type Block = { name: string; text: string }

/** Reads the shell blocks of a Markdown page, in order. */
export async function readBlocks(file: string): Promise<Block[]> {
  const blocks: Block[] = []
  let heading = ''
  let open: string[] | null = null
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (open === null) {
      if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
      else if (line === '```sh') open = []
    } else if (line === '```') {
      const before = blocks.filter(({ name }) => name.startsWith(`${heading} `)).length
      blocks.push({ name: `${heading} ${before + 1}`, text: open.join('\n') })
      open = null
    } else open.push(line)
  }
  return blocks
}

/** Returns blocks by name, and records which were never used. */
export function openPage(blocks: readonly Block[]) {
  const asked = new Set<string>()
  const block = (name: string): string => {
    const found = blocks.find((one) => one.name === name)
    if (found === undefined) throw new Error(`the page has no block "${name}"`)
    asked.add(name)
    return found.text
  }
  const left = () => blocks.map(({ name }) => name).filter((name) => !asked.has(name))
  return { block, left }
}
