import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

/** Lines before and after a change that a recipe shows. */
type Change = { file: string; before: string; after: string }

/** The `diff` blocks of a recipe, each with the file that the text names last before it. */
function changesOf(page: string): Change[] {
  let file = ''
  const changes: Change[] = []
  for (const [, path, diff] of page.matchAll(/`([\w./-]+\/[\w.-]+\.ts)`|^```diff\n(.*?)^```$/gms)) {
    if (path !== undefined) file = path
    if (diff === undefined) continue
    const without = (sign: string) => diff.split('\n').filter((line) => !line.startsWith(sign))
    const textOf = (lines: string[]) => lines.map((line) => line.slice(1)).join('\n')
    changes.push({ file, before: textOf(without('+')), after: textOf(without('-')) })
  }
  return changes
}

describe.each(['add-an-event', 'add-an-endpoint'])('the recipe %s', (name) => {
  // Who follows the recipe runs this test, too.
  test('shows lines that its files have, each place once, before or after its changes', async () => {
    const changes = changesOf(await readFile(`${repoRoot}/docs/contribute/${name}.md`, 'utf8'))
    expect(changes).not.toEqual([])
    const checked = changes.map(async (change) => {
      const text = `\n${await readFile(`${repoRoot}/${change.file}`, 'utf8')}`
      const placesOf = (lines: string) => text.split(`\n${lines}`).length - 1
      return { ...change, isShown: [change.before, change.after].map(placesOf).includes(1) }
    })
    const wrong = (await Promise.all(checked)).filter(({ isShown }) => !isShown)
    expect(wrong).toEqual([])
  })
})
