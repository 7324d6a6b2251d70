import { existsSync } from 'node:fs'
import {
  cp,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { listedFiles } from '../../check/changed-files.ts'
import { jestCommand } from '../../check/jest-step.ts'
import { commandStep, runSteps, type Step } from '../../check/step.ts'
import { repoRoot } from '../../lib/paths.ts'
import { applyBlock, blocksOf, createdBy } from '../../reference/recipe.ts'

/**
 * `npm run check:recipes`: follows the recipe for a field of subscriptions in a copy of the
 * checkout, first without and then with its optional places. Checks the format, types and lint of
 * what it touches, and runs the unit tests beside it.
 */
const recipe = 'docs/contribute/add-a-subscription-field.md'
/** These tests make subscriptions too. The recipe names no file of theirs before its options. */
const others = ['packages/cli/src/environment-file', 'packages/cli/src/reconcile']

await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-recipe-'))
const copy = temp.path
await copyCheckout()
const page = await readFile(`${repoRoot}/${recipe}`, 'utf8')
const [needed = '', optional = ''] = page.split(/^(?=## Other places$)/m)
await writeTypesConfig()
const ofNeeded = await follow(needed)
const first = await runSteps([...generateSteps(), ...checkSteps('needed', ofNeeded)])
const ofOptional = await follow(optional)
const second = await runSteps(checkSteps('optional', ofOptional))
process.exitCode = first.failed + second.failed === 0 ? 0 : 1

/** The links of workspaces lead into the copy; all other packages are those of the checkout. */
async function copyCheckout(): Promise<void> {
  const files = await listedFiles()
  for (const file of files) await cp(`${repoRoot}/${file}`, `${copy}/${file}`)
  const ours = 'node_modules/@surehook'
  await cp(`${repoRoot}/${ours}`, `${copy}/${ours}`, { recursive: true, verbatimSymlinks: true })
  for (const name of await readdir(`${repoRoot}/node_modules`)) {
    const installed = `node_modules/${name}`
    if (installed !== ours && name !== '.cache') await link(installed)
  }
  const workspaces = files.filter((file) => /.\/package\.json$/.test(file)).map(dirname)
  for (const dir of workspaces) {
    if (existsSync(`${repoRoot}/${dir}/node_modules`)) await link(`${dir}/node_modules`)
  }
}

async function link(path: string): Promise<void> {
  await symlink(`${repoRoot}/${path}`, `${copy}/${path}`)
}

/** Returns the files that the recipe names. */
async function follow(text: string): Promise<string[]> {
  const created = createdBy(text)
  for (const one of created) {
    await mkdir(dirname(`${copy}/${one.file}`), { recursive: true })
    await writeFile(`${copy}/${one.file}`, one.text)
  }
  const blocks = blocksOf(text)
  for (const { file, diff } of blocks) {
    const before = await readFile(`${copy}/${file}`, 'utf8')
    await writeFile(`${copy}/${file}`, applyBlock(before, diff))
  }
  return [...new Set([...created, ...blocks].map(({ file }) => file))]
}

/** All packages that the recipe touches, so that the second check of types is incremental. */
async function writeTypesConfig(): Promise<void> {
  const folders = [...foldersOf(blocksOf(page).map(({ file }) => file)), ...others]
  const config = {
    extends: './tsconfig.check.json',
    compilerOptions: { tsBuildInfoFile: 'types.tsbuildinfo' },
    include: folders
      .filter((folder) => !isOfConsole(folder))
      .map((folder) => folder.replace(/\/(?:src|test)(?:\/.*)?$/, '')),
  }
  await writeFile(`${copy}/tsconfig.recipe.json`, JSON.stringify(config))
}

/** The clients of the API are compiled with what these steps write. */
function generateSteps(): Step[] {
  return [
    inCopy('openapi', ['node', '--conditions=source', 'contracts/scripts/generate-openapi.ts']),
    inCopy('client', ['npm', 'run', '-s', 'generate', '-w', 'packages/client']),
  ]
}

function checkSteps(which: string, files: readonly string[]): Step[] {
  const sources = files.filter((file) => /\.tsx?$/.test(file))
  const folders = [...foldersOf(sources), ...others]
  return [
    inCopy(`${which}: format`, ['biome', 'ci', '--linter-enabled=false', ...sources]),
    inCopy(`${which}: types`, ['tsc', '-p', 'tsconfig.recipe.json']),
    ...(folders.some(isOfConsole) ? [inCopy(`${which}: console`, ['tsc', '-p', 'console'])] : []),
    // Without the rules that need types: they need a build.
    inCopy(`${which}: lint`, ['oxlint', '--deny-warnings', '--format=unix', ...sources]),
    inCopy(`${which}: unit`, [...jestCommand, ...folders, '--selectProjects', 'unit']),
  ]
}

function foldersOf(files: readonly string[]): string[] {
  return [...new Set(files.filter((file) => /\.tsx?$/.test(file)).map(dirname))]
}

function isOfConsole(folder: string): boolean {
  return folder.startsWith('console/')
}

function inCopy(name: string, args: readonly string[]): Step {
  return commandStep(name, args, { cwd: copy })
}
