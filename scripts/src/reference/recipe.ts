/** A `diff` block of a recipe, and the last file named before it. */
export type Block = { file: string; diff: string }

export function blocksOf(page: string): Block[] {
  let file = ''
  const blocks: Block[] = []
  for (const [, path, diff] of page.matchAll(
    /`([\w./-]+\/[\w.-]+\.(?:tsx?|avsc|md))`|^```diff\n(.*?)^```$/gms,
  )) {
    if (path !== undefined) file = path
    if (diff !== undefined) blocks.push({ file, diff })
  }
  return blocks
}

/** The files that a recipe creates: `Create …` names each, and its text follows. */
export function createdBy(page: string): { file: string; text: string }[] {
  return [...page.matchAll(/^[^\n]*\bCreate [^`]*`([^`]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, file = '', text = '']) => ({ file, text }),
  )
}

/** The number of places in a file that match the block. */
export const countPlaces = (text: string, diff: string): number =>
  text.match(patternOf(diff))?.length ?? 0

/** Adds the lines of the block at its place. */
export function applyBlock(text: string, diff: string): string {
  const added = partsOf(diff).filter((_, at) => at % 2 === 1)
  return text.replace(patternOf(diff), (...found: (string | undefined)[]) =>
    found
      .slice(1, 2 * added.length + 2)
      .map((part, at) => (at % 2 === 0 ? part : withLines(part ?? '', added[(at - 1) / 2])))
      .join(''),
  )
}

/** Adds the lines before `…` at the begin of what stands there, and the others at its end. */
function withLines(standing: string, group = ''): string {
  const [before = '', after] = group.split(/^ …\n/m).map((lines) => lines.replaceAll(/^\+/gm, ''))
  return after === undefined ? standing + before : before + standing + after
}

/** Lines to find and lines to add, by turns. Either end may be empty. */
const partsOf = (diff: string): string[] => diff.split(/^((?:\+.*\n| …\n)+)/m)

/**
 * Finds the lines of the block in order. Any lines may stand where the block adds lines or has `…`,
 * because earlier users of the recipe have added some there. Such lines are indented at least as
 * far as the line after them, so a place ends with its list.
 */
function patternOf(diff: string): RegExp {
  const parts = partsOf(diff)
  const patterns = parts.map((part, at) => {
    if (at % 2 === 0) return `(${escaped(part)})`
    const [isFirst, after] = [parts[at - 1] === '', parts[at + 1] ?? '']
    return isFirst || after === '' ? '()' : `((?:(?:${/^ */.exec(after.slice(1))?.[0]}.*)?\n)*?)`
  })
  return new RegExp(`^${patterns.join('')}`, 'gm')
}

const escaped = (lines: string): string =>
  lines.replaceAll(/^ /gm, '').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
