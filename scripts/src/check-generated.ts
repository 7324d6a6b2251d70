import { readdir, readFile } from 'node:fs/promises'
import { runCommand } from './check/run-command.ts'
import { repoRoot } from './lib/paths.ts'

/** Generates again and tells which committed files were not what comes out. */
const openApiDir = `${repoRoot}/contracts/openapi`

async function generatedFiles(): Promise<Map<string, string>> {
  const names = await readdir(openApiDir)
  const texts = names.map((name) => readFile(`${openApiDir}/${name}`, 'utf8'))
  return new Map((await Promise.all(texts)).map((text, index) => [names[index] ?? '', text]))
}

const before = await generatedFiles()
const generate = ['node', '--conditions=source', 'contracts/scripts/generate-openapi.ts']
const { ok, output } = await runCommand({ args: generate })
const after = await generatedFiles()
const stale = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name)
const lock = await runCommand({ args: ['node', 'scripts/complete-lock.mjs', '--check'] })

if (!ok) console.error(output)
if (!lock.ok) console.error(lock.output)
for (const name of stale) console.error(`contracts/openapi/${name} was not current: commit it`)
if (!ok || !lock.ok || stale.length > 0) process.exitCode = 1
