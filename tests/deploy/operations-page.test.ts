import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { readBlocks } from '../rehearsals/kubernetes/page.ts'

const blocks = await readBlocks(`${repoRoot}/docs/operate/kubernetes.md`)
const chapters = await readFile(`${repoRoot}/tests/rehearsals/kubernetes/chapters.ts`, 'utf8')

test.each(blocks.map(({ name }) => name))('the page’s commands "%s" are rehearsed', (name) => {
  expect(chapters).toMatch(new RegExp(`block\\(["']${name}["']\\)`))
})
