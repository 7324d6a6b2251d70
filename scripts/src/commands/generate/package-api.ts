import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../check/run-command.ts'
import { repoRoot } from '../../lib/paths.ts'
import { fence } from '../../reference/markdown.ts'

/**
 * `npm run generate`: writes the public declarations of each package into a page, so that each change
 * of its surface shows in a review.
 */
for (const name of ['auth', 'client']) await writeApi(name)

async function writeApi(name: string): Promise<void> {
  const packageDir = `${repoRoot}/packages/${name}`
  await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-api-'))
  const emit = ['--composite', 'false', '--emitDeclarationOnly', '--outDir', temp.path]
  const tsc = await runCommand({ args: ['tsc', '-p', packageDir, ...emit] })
  if (!tsc.ok) throw new Error(tsc.output)
  const declarationsOf = (file: string) => readDeclarations(join(temp.path, `${file}.d.ts`))
  const index = await declarationsOf('index')
  const exporting = [...index.matchAll(/from '\.\/(.+?)\.ts'/g)].flatMap(([, file]) => file ?? [])
  // The types of the contract show where they are committed.
  const files = exporting.filter((file) => !file.startsWith('generated/'))
  const sections = await Promise.all(
    files.map(async (file) => [`## ${file}`, '', ...fence('ts', await declarationsOf(file))]),
  )
  const head = [
    `# API of @surehook/${name}`,
    '',
    'This page answers: what does the package export? `npm run generate` writes it.',
    '',
  ]
  const lines = [...head, ...fence('ts', index), ...sections.flat()]
  await writeFile(`${packageDir}/api.md`, `${lines.join('\n').trimEnd()}\n`)
}

async function readDeclarations(path: string): Promise<string> {
  const text = await readFile(path, 'utf8')
  return text.replace(/^\/\/# sourceMappingURL.*$/m, '').trimEnd()
}
