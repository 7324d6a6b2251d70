import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { localDir, repoRoot } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'
import { type ReleasePlan, withSection } from '../release/changelog-section.ts'

/**
 * `npm run release`: writes the next version, from the changesets, into every package, the chart
 * and docker-compose.yml, and its section into CHANGELOG.md. It does not commit.
 */
const manifestFile = `${repoRoot}/package.json`
/** Files other than packages that contain the version. */
const named = [
  'deploy/helm/surehook/Chart.yaml',
  'deploy/helm/surehook/values-production-example.yaml',
  'docker-compose.yml',
  'docs/operate/containers.md',
  'docs/operate/kubernetes.md',
  'docs/start/kind.md',
  'tests/rehearsals/kubernetes/main.ts',
]

const plan = await readPlan()
const before = (JSON.parse(await readFile(manifestFile, 'utf8')) as { version: string }).version
const version = plan.releases.find(({ name }) => name === 'surehook')?.newVersion
if (version === undefined) {
  console.error('no changeset asks for a release: npm run changeset writes one')
  process.exit(1)
}
const date = new Date().toISOString().slice(0, 10)
await edit('CHANGELOG.md', (text) => withSection(text, plan, { version, date }))
await run('changeset', 'version')
await edit('package.json', (text) =>
  text.replace(`"version": "${before}"`, `"version": "${version}"`),
)
const asWhole = new RegExp(`(?<![\\d.])${before.replaceAll('.', '\\.')}(?![\\d.])`, 'g')
const replaceVersion = (file: string) => edit(file, (text) => text.replace(asWhole, version))
for (const file of named) await replaceVersion(file)
for await (const file of glob('examples/*/package.json', { cwd: repoRoot })) {
  await replaceVersion(file)
}
await run('npm', 'install', '--package-lock-only', '--ignore-scripts')
await run('node', 'scripts/complete-lock.mjs')
console.log(
  `${before} -> ${version}. Next: git commit -am "Release ${version}" && git tag v${version}`,
)

async function readPlan(): Promise<ReleasePlan> {
  await mkdir(localDir, { recursive: true })
  const file = `${localDir}/release-plan.json`
  await run('changeset', 'status', '--output', '.local/release-plan.json')
  const found = JSON.parse(await readFile(file, 'utf8')) as ReleasePlan
  await rm(file)
  return found
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = `${repoRoot}/${file}`
  await writeFile(path, change(await readFile(path, 'utf8')))
}

async function run(...args: string[]): Promise<void> {
  const { ok, output } = await runCommand({ args, timeoutMs: 300_000 })
  if (!ok) throw new Error(`${args.join(' ')} failed:\n${output}`)
}
