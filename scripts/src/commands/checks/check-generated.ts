import { readdir, readFile } from 'node:fs/promises'
import { databaseServices } from 'surehook/lib/service-catalog'
import { repoRoot } from '../../lib/paths.ts'
import { runCommand } from '../../lib/run-command.ts'
import { installationPages } from '../../release/installation.ts'
import { entriesOf, manifestOf, publicPackages } from '../../release/pack-package.ts'

/** Generates all files again, and prints the committed ones that differ. */
const generatedDirs = [
  'contracts/openapi',
  'deploy/helm/surehook/files/dashboards',
  'deploy/strimzi',
  'packages/auth/src/generated',
  'packages/client/src/generated/admin',
  'packages/client/src/generated/data',
  'packages/client/src/generated/webhooks',
]
const generatedPages = [
  'docs/reference/configuration.md',
  'docs/reference/metrics.md',
  'docs/reference/topics.md',
  ...databaseServices.map((service) => `services/${service}/schema.sql`),
  'services/webhook-api/history-schema.sql',
  ...(await apiPages()),
  ...(await installationPages()),
]

async function apiPages(): Promise<string[]> {
  const dirs = await publicPackages()
  const entries = await Promise.all(dirs.map(async (dir) => entriesOf(await manifestOf(dir))))
  return dirs.filter((_, at) => entries[at]?.length !== 0).map((dir) => `${dir}/api.md`)
}

async function generatedFiles(): Promise<Map<string, string>> {
  const inDirs = generatedDirs.map(async (dir) =>
    (await readdir(`${repoRoot}/${dir}`, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${dir}/${name}`),
  )
  const names = [...(await Promise.all(inDirs)).flat(), ...generatedPages]
  const texts = names.map((name) => readFile(`${repoRoot}/${name}`, 'utf8'))
  return new Map((await Promise.all(texts)).map((text, index) => [names[index] ?? '', text]))
}

const before = await generatedFiles()
const { ok, output } = await runCommand({ args: ['npm', 'run', '-s', 'generate'] })
const after = await generatedFiles()
const stale = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name)
const lock = await runCommand({ args: ['node', 'scripts/complete-lock.mjs', '--check'] })

if (!ok) console.error(output)
if (!lock.ok) console.error(lock.output)
for (const name of stale) console.error(`${name} was not current: commit it`)
if (!ok || !lock.ok || stale.length > 0) process.exitCode = 1
