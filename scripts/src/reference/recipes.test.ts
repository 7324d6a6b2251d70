import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

type Change = { file: string; replaced: string }

/** The `diff` blocks of a recipe, each with the file that the text names last before it. */
function changesOf(page: string): Change[] {
  let file = ''
  const changes: Change[] = []
  for (const [, path, diff] of page.matchAll(/`([\w./-]+\/[\w.-]+\.ts)`|^```diff\n(.*?)^```$/gms)) {
    if (path !== undefined) file = path
    const kept = diff?.split('\n').filter((line) => !line.startsWith('+'))
    if (kept !== undefined)
      changes.push({ file, replaced: kept.map((line) => line.slice(1)).join('\n') })
  }
  return changes
}

describe.each(['add-an-event', 'add-an-endpoint'])('the recipe %s', (name) => {
  test('shows lines that its files have, each place once', async () => {
    const changes = changesOf(await readFile(`${repoRoot}/docs/contribute/${name}.md`, 'utf8'))
    expect(changes).not.toEqual([])
    const places = changes.map(async ({ file, replaced }) => {
      const text = await readFile(`${repoRoot}/${file}`, 'utf8')
      return { file, replaced, places: `\n${text}`.split(`\n${replaced}`).length - 1 }
    })
    const wrong = (await Promise.all(places)).filter((change) => change.places !== 1)
    expect(wrong).toEqual([])
  })
})
