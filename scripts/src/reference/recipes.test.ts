import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { listedFiles } from '../check/changed-files.ts'
import { repoRoot } from '../lib/paths.ts'
import { blocksOf, countPlaces, createdBy } from './recipe.ts'

describe.each(['add-an-event', 'add-an-endpoint', 'add-a-subscription-field'])(
  'the recipe %s',
  (name) => {
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
  },
)

describe('the recipe add-a-subscription-field', () => {
  const recipe = `${repoRoot}/docs/contribute/add-a-subscription-field.md`

  /** A file that spells these fields spells the whole state, and changes with each new field. */
  const fields = ['events', 'active', 'filter', 'secrets', 'policy', 'cancellations', 'name']
  const spellsState = (text: string) => fields.every((field) => isField(field).test(text))
  const isField = (field: string) => new RegExp(`(?<![\\w.])["']?${field}["']?\\??: `)

  test('names each file that spells the fields of the state', async () => {
    const page = await readFile(recipe, 'utf8')
    const named = blocksOf(page).map(({ file }) => file)
    const files = (await listedFiles()).filter((file) => /\.tsx?$/.test(file))
    const spelled = await Promise.all(
      files.map(async (file) => spellsState(await readFile(`${repoRoot}/${file}`, 'utf8'))),
    )
    const unnamed = files.filter((file, nth) => spelled[nth] && !named.includes(file))
    expect(unnamed).toEqual([])
  })

  test('names files that exist, unless it creates them', async () => {
    const page = await readFile(recipe, 'utf8')
    const created = createdBy(page).map(({ file }) => file)
    const paths = [...page.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path = '']) => path)
    const tracked = await listedFiles()
    const missing = paths.filter((path) => !tracked.includes(path) && !created.includes(path))
    expect(missing).toEqual([])
  })
})
