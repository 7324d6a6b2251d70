import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'

/** `engines` of package.json says which Node a folder needs. The pages say the same. */
const neededBy = (dir: string): string => {
  const { engines } = JSON.parse(textOf(`${dir}/package.json`)) as { engines: { node: string } }
  return `Node ${engines.node.replace('>=', '')} or newer`
}
const textOf = (file: string) => readFileSync(`${repoRoot}/${file}`, 'utf8').replaceAll(/\s+/g, ' ')
const foldersOf = (dir: string): string[] =>
  readdirSync(`${repoRoot}/${dir}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${dir}/${name}`)

it.each([...foldersOf('packages'), ...foldersOf('examples'), '.'])(
  'the README of %s says which Node it needs',
  (dir) => expect(textOf(`${dir}/README.md`)).toContain(neededBy(dir)),
)

it('the page of the packages and CONTRIBUTING say which Node is needed', () => {
  const page = textOf('docs/reference/packages.md')
  for (const dir of foldersOf('packages')) {
    const { name } = JSON.parse(textOf(`${dir}/package.json`)) as { name: string }
    const [row] =
      /\| \[`NAME`\][^|]*\|[^|]*\|[^|]*\|/.exec(page.replace(`\`${name}\``, '`NAME`')) ?? []
    expect(row).toContain(neededBy(dir))
  }
  expect(textOf('CONTRIBUTING.md')).toContain(neededBy('.'))
})

it('the first script refuses an older Node', () => {
  expect(textOf('scripts/bootstrap.mjs')).toContain(
    `oldestNode = ${/\d+/.exec(neededBy('.'))?.[0]} `,
  )
})
