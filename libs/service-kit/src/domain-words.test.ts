import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'

const src = new URL('.', import.meta.url)
const domainWord = /tenant|webhook|subscription|deliver|project-?id|audit|retry.?ladder/i

it('has no word of the domain', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(new URL(file, src), 'utf8') }))
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter(({ text }) => domainWord.test(text)).map(({ file }) => file)).toEqual([])
})
