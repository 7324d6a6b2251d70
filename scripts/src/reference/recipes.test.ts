import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

/** A `diff` block of a recipe, and the file that the text names last before it. */
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
 * How often a file has the block's place: its lines in their order, with anything between them where
 * the block adds lines or has `…`. Whoever follows a recipe adds lines for another event there. What
 * stands there is indented as the line after it or more: a place ends where its list ends.
 */
function countPlaces(text: string, diff: string): number {
  const runs = diff.split(/^(?:\+.*\n| …\n)+/m).filter((run) => run !== '')
  const pattern = runs
    .map((run) => run.replaceAll(/^ /gm, '').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .reduce((before, after) => `${before}(?:(?:${/^ */.exec(after)}.*)?\n)*?${after}`)
  return text.match(new RegExp(`^${pattern}`, 'gm'))?.length ?? 0
}

describe.each(['add-an-event', 'add-an-endpoint'])('the recipe %s', (name) => {
  // Who follows the recipe runs this test, too.
  test('only adds lines, each at a place that its file has once', async () => {
    const blocks = blocksOf(await readFile(`${repoRoot}/docs/contribute/${name}.md`, 'utf8'))
    expect(blocks).not.toEqual([])
    const counted = blocks.map(async (block) => {
      const text = await readFile(`${repoRoot}/${block.file}`, 'utf8')
      return { ...block, places: countPlaces(text, block.diff) }
    })
    // A line with `-` stays as it is in the pattern, so that no file has it.
    const wrong = (await Promise.all(counted)).filter(({ places }) => places !== 1)
    expect(wrong).toEqual([])
  })
})
