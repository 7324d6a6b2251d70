import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../check/run-command.ts'
import { repoRoot } from '../../lib/paths.ts'
import { fence } from '../../reference/markdown.ts'

/**
 * `npm run generate`: writes the public declarations of `@surehook/client` into one page, so that
 * each change of its surface shows in a review.
 */
const packageDir = `${repoRoot}/packages/client`
const dir = await mkdtemp(join(tmpdir(), 'surehook-client-api-'))
try {
  const emit = ['--composite', 'false', '--emitDeclarationOnly', '--outDir', dir]
  const tsc = await runCommand({ args: ['tsc', '-p', packageDir, ...emit] })
  if (!tsc.ok) throw new Error(tsc.output)
  const index = await declarationsOf('index')
  const exporting = [...index.matchAll(/from '\.\/(.+?)\.ts'/g)].flatMap(([, name]) => name ?? [])
  // The types of the contract show where they are committed.
  const names = exporting.filter((name) => !name.startsWith('generated/'))
  const files = await Promise.all(
    names.map(async (name) => [`## ${name}`, '', ...fence('ts', await declarationsOf(name))]),
  )
  const head = [
    '# API of @surehook/client',
    '',
    'This page answers: what does the package export? `npm run generate` writes it.',
    '',
  ]
  const lines = [...head, ...fence('ts', index), ...files.flat()]
  await writeFile(`${packageDir}/api.md`, `${lines.join('\n').trimEnd()}\n`)
} finally {
  await rm(dir, { recursive: true })
}

async function declarationsOf(name: string): Promise<string> {
  const text = await readFile(join(dir, `${name}.d.ts`), 'utf8')
  return text.replace(/^\/\/# sourceMappingURL.*$/m, '').trimEnd()
}
