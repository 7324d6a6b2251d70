import { globSync, readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

/** Users read *webhook* everywhere. Only the API, topics, files and code say *subscription*. */
const pages = [
  ...['README.md', 'docs/index.md', 'docs/reference/glossary.md', 'packages/*/README.md'],
  ...['docs/start/*.md', 'docs/guides/*.md', 'docs/concepts/*.md', 'docs/operate/**/*.md'],
]

const found = (text: string, word: RegExp): string[] =>
  text.split('\n').filter((line) => word.test(line))

/** What a reader sees of a page as prose. `*subscription*` is the word itself. */
const proseOf = (page: string): string =>
  page
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .replaceAll(/`[^`]*`|\*subscription\*|[a-z-]+\.ts\]|\]\([^)]*\)|\([^)]*\.ts\)/g, '')

/** Names of types begin with a capital letter. */
const textsOf = (source: string): string =>
  source.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^ *\/\/.*$/gm, '')

const faultsOf = (patterns: string[], faults: (text: string) => string[]) =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: repoRoot }))
    .filter((file) => !file.includes('node_modules') && !file.includes('.test.'))
    .flatMap((file) =>
      faults(readFileSync(`${repoRoot}/${file}`, 'utf8')).map((line) => `${file}: ${line}`),
    )

it('pages for users say webhook', () => {
  expect(faultsOf(pages, (page) => found(proseOf(page), /\bsubscriptions?\b/i))).toEqual([])
})

it('the console says webhook', () => {
  const sources = ['console/src/**/*.ts', 'console/src/**/*.tsx']
  expect(faultsOf(sources, (source) => found(textsOf(source), /\bsubscriptions?\b/))).toEqual([])
})

it('finds the word in prose and in texts', () => {
  expect(
    found(proseOf('A `subscription` of\n```\na subscription\n```\none subscription'), /subs/),
  ).toEqual(['one subscription'])
  expect(found(textsOf('/** a subscription */\n<p>A subscription</p>'), /subs/)).toEqual([
    '<p>A subscription</p>',
  ])
})
