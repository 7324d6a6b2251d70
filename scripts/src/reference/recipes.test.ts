import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

/** A `diff` block of a recipe, and the last file named before it. */
type Block = { file: string; diff: string }

function blocksOf(page: string): Block[] {
  let file = ''
  const blocks: Block[] = []
  for (const [, path, diff] of page.matchAll(/`([\w./-]+\/[\w.-]+\.ts)`|^```diff\n(.*?)^```$/gms)) {
    if (path !== undefined) file = path
    if (diff !== undefined) blocks.push({ file, diff })
  }
  return blocks
}

/**
 * Counts the places in a file that match the block: its lines in order. Any lines may stand where
 * the block adds lines or has `…`, because earlier users of the recipe have added some there. Such
 * lines are indented at least as far as the line after them, so a place ends with its list.
 */
function countPlaces(text: string, diff: string): number {
  const runs = diff.split(/^(?:\+.*\n| …\n)+/m).filter((run) => run !== '')
  const pattern = runs
    .map((run) => run.replaceAll(/^ /gm, '').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .reduce((before, after) => `${before}(?:(?:${/^ */.exec(after)}.*)?\n)*?${after}`)
  return text.match(new RegExp(`^${pattern}`, 'gm'))?.length ?? 0
}

describe.each(['add-an-event', 'add-an-endpoint'])('the recipe %s', (name) => {
  // Users of a recipe run this test too.
  test('only adds lines, each at a unique place in its file', async () => {
    const blocks = blocksOf(await readFile(`${repoRoot}/docs/contribute/${name}.md`, 'utf8'))
    expect(blocks).not.toEqual([])
    const counted = blocks.map(async (block) => {
      const text = await readFile(`${repoRoot}/${block.file}`, 'utf8')
      return { ...block, places: countPlaces(text, block.diff) }
    })
    // A removed line keeps its `-` in the pattern, so it matches no file and fails the test.
    const wrong = (await Promise.all(counted)).filter(({ places }) => places !== 1)
    expect(wrong).toEqual([])
  })
})
