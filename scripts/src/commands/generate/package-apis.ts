import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { repoRoot } from '../../lib/paths.ts'
import { runCommand } from '../../lib/run-command.ts'
import { fence } from '../../reference/markdown.ts'
import { type Entry, entriesOf, manifestOf, publicPackages } from '../../release/pack-package.ts'

/**
 * `npm run generate`: writes the public declarations of each published package into one page, so
 * that each change of its surface shows in a review. It reads what the build of the package writes.
 */
const packages = await Promise.all(
  (await publicPackages()).map(async (dir) => ({ dir, manifest: await manifestOf(dir) })),
)
const typed = packages.filter(({ manifest }) => entriesOf(manifest).length > 0)
const filters = typed.map(({ manifest }) => `--filter=${manifest.name}`)
const build = await runCommand({ args: ['turbo', 'run', 'build', ...filters] })
if (!build.ok) throw new Error(build.output)
for (const { dir, manifest } of typed) {
  const lines = await apiOf(`${repoRoot}/${dir}`, manifest.name, entriesOf(manifest))
  await writeFile(`${repoRoot}/${dir}/api.md`, `${lines.join('\n').trimEnd()}\n`)
}

async function apiOf(dir: string, name: string, entries: readonly Entry[]): Promise<string[]> {
  const lines = [
    `# API of ${name}`,
    '',
    'This page answers: what does the package export? `npm run generate` writes it.',
    '',
  ]
  const dist = join(dir, 'dist')
  const shown = new Set<string>()
  for (const { path, types } of entries) {
    const file = join(dir, types)
    const text = await declarationsIn(file)
    if (path !== '.') lines.push(`## ${name}${path.slice(1)}`, '')
    lines.push(...fence('ts', text))
    for (const module of modulesIn(file, text)) {
      // The types of the contract show where they are committed.
      if (shown.has(module) || relative(dist, module).startsWith('generated/')) continue
      shown.add(module)
      const title = relative(dist, module).replace(/\.d\.ts$/, '')
      lines.push(`## ${title}`, '', ...fence('ts', await declarationsIn(module)))
    }
  }
  return lines
}

/** The files whose declarations an entry exports. */
function modulesIn(entry: string, text: string): string[] {
  return [...text.matchAll(/^export .+ from '(\..+?)\.ts'/gm)].map(([, path = '']) =>
    join(dirname(entry), `${path}.d.ts`),
  )
}

async function declarationsIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  return text.replace(/^\/\/# sourceMappingURL.*$/m, '').trimEnd()
}
