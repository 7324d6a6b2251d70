import { glob, readFile } from 'node:fs/promises'
import { repoRoot } from '../lib/paths.ts'

/**
 * Whether the packages are on npm. The first release sets it to true, and `npm run generate` then
 * changes every page that says how to install a package.
 */
export const isPublished = false

const ownName = /^(?:@surehook\/([a-z-]+)|(surehook))$/

/** A marker that no reader sees, and what follows it up to the end of the next block of commands. */
const place = /^\[\/\/install\]: # \((.+)\)\n[^]*?^```bash\n[^]*?^```$/gm

/**
 * Returns a page with the commands that install the packages of its markers, such as
 * `[//install]: # (@surehook/receiver express)`: the arguments of `npm install` once the packages
 * are published.
 */
export function withInstallation(page: string, published = isPublished): string {
  return page.replace(place, (_, args: string) => {
    const text = published ? commands(`npm install ${args}`) : fromClone(args)
    return `[//install]: # (${args})\n\n${text}`
  })
}

/** Where `npm run pack` writes a package. */
export function tarballOf(name: string): string {
  const [, scoped, bare] = ownName.exec(name) ?? []
  return `.local/packages/${scoped === undefined ? bare : `surehook-${scoped}`}.tgz`
}

function fromClone(args: string): string {
  const words = args
    .split(' ')
    .map((word) => (ownName.test(word) ? `$CLONE/${tarballOf(word)}` : word))
  const lines = [
    'CLONE=../surehook    # the folder of your clone',
    `npm install ${words.join(' ')}`,
  ]
  return `${explanation}\n\n${commands(...lines)}`
}

const explanation = `Nothing of Surehook is on npm yet. Run \`npm run pack\` in your clone, which takes some minutes the
first time. Then, in the folder of your own service:`

const commands = (...lines: string[]) => ['```bash', ...lines, '```'].join('\n')

/** The pages with a marker, from the root of the repository. */
export async function installationPages(): Promise<string[]> {
  const found: string[] = []
  const patterns = ['README.md', 'docs/**/*.md', '{packages,examples}/*/README.md']
  for await (const file of glob(patterns, { cwd: repoRoot, exclude: ['**/node_modules/**'] })) {
    if (/^\[\/\/install\]: /m.test(await readFile(`${repoRoot}/${file}`, 'utf8'))) found.push(file)
  }
  return found.toSorted()
}
