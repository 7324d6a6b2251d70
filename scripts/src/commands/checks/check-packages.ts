import { existsSync } from 'node:fs'
import { mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repoRoot } from '../../lib/paths.ts'
import { runCommand } from '../../lib/run-command.ts'
import { nodesOf } from '../../published/node-versions.ts'
import {
  entriesOf,
  type Manifest,
  manifestOf,
  packPackage,
  publicPackages,
  publishedManifest,
  workspaces,
} from '../../release/pack-package.ts'

/**
 * `npm run check:packages [-- packages/receiver …]`: packs every public package, or the named ones,
 * and installs each into an empty project. Checks there what a user would meet: publint, attw, an
 * import of every entry on each Node of this machine, and its types. Run `npm run build` before.
 */
type Package = { dir: string; manifest: Manifest; published: Manifest; tarball: string }

const resolutions = [
  { moduleResolution: 'node16', module: 'node16' },
  { moduleResolution: 'bundler', module: 'esnext' },
]

await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-packages-'))
const nodes = await nodesOf(process.env['PATH'] ?? '')
const named = process.argv.slice(2)
const packages: Package[] = []
for (const dir of await publicPackages()) packages.push(await pack(dir))
for (const one of packages) {
  if (named.length === 0 || named.includes(one.dir)) await checkPackage(one)
}

async function pack(dir: string): Promise<Package> {
  const manifest = await manifestOf(dir)
  const published = publishedManifest(manifest, await workspaces())
  return { dir, manifest, published, tarball: await packPackage(dir, temp.path) }
}

async function checkPackage({ dir, manifest, published, tarball }: Package): Promise<void> {
  const entries = entriesOf(manifest).map(({ path }) => manifest.name + path.slice(1))
  await checkSize(dir, manifest.name, tarball)
  await say(`${dir}: publint`, ['publint', 'run', '--strict', tarball])
  // The packages are ESM only, as their `engines` allow. A command has no types.
  if (entries.length > 0) {
    await say(`${dir}: attw`, ['attw', tarball, '--profile', 'esm-only', '--no-emoji'])
  }
  const project = join(temp.path, dir)
  await mkdir(project, { recursive: true })
  await writeFile(`${project}/package.json`, JSON.stringify({ private: true, type: 'module' }))
  const needed = packages.filter((one) => one.manifest.name in (published.dependencies ?? {}))
  await install(`${dir}: install`, project, [tarball, ...needed.map((one) => one.tarball)])
  await refusePrivate(dir, project)
  await checkImports(dir, project, entries)
  await checkCommands(dir, project, published)
  if (entries.length > 0) await checkTypes(dir, project, { manifest, entries })
}

/** Without the frameworks, because a package names them only in its types. */
async function checkImports(dir: string, project: string, entries: string[]): Promise<void> {
  const lines = entries.map((entry) => `await import('${entry}')`)
  await writeFile(`${project}/imports.mjs`, lines.join('\n'))
  for (const [version, path] of nodes) {
    await say(`${dir}: imports on Node ${version}`, [path, 'imports.mjs'], project)
  }
}

/** Starts each command of the package, as npm links it. */
async function checkCommands(dir: string, project: string, { bin = {}, version }: Manifest) {
  for (const name of Object.keys(bin)) {
    for (const [node, path] of nodes) {
      const args = [path, `node_modules/.bin/${name}`, '--version']
      const { ok, output } = await runCommand({ args, cwd: project })
      const isRight = ok && output.trim() === `${name} ${version}`
      report(`${dir}: ${name} --version on Node ${node}`, isRight, output)
    }
  }
}

type TypedPackage = { manifest: Manifest; entries: readonly string[] }

/**
 * First only the entries whose types need no optional framework, with the libraries' types checked;
 * then all of them beside the frameworks.
 */
async function checkTypes(dir: string, project: string, { manifest, entries }: TypedPackage) {
  const peers = Object.keys(manifest.peerDependencies ?? {})
  const root = await manifestOf('.')
  await install(`${dir}: install types`, project, [
    `@types/node@${root.devDependencies?.['@types/node'] ?? ''}`,
  ])
  const isOfPeer = (entry: string) => peers.some((peer) => entry.endsWith(`/${peer}`))
  const alone = entries.filter((entry) => !isOfPeer(entry))
  await compile(`${dir}: types`, project, { entries: alone, skipLibCheck: false })
  if (peers.length === 0) return
  const versions = await Promise.all(peers.map((peer) => testedVersion(peer, manifest)))
  await install(`${dir}: install ${peers.join(', ')}`, project, versions)
  // Frameworks have faults in their own types.
  await compile(`${dir}: types beside frameworks`, project, { entries, skipLibCheck: true })
}

/** The version of a framework that the package's tests use, or else the examples. */
async function testedVersion(name: string, manifest: Manifest): Promise<string> {
  const examples = await readdir(`${repoRoot}/examples`)
  const manifests = await Promise.all(examples.map((example) => manifestOf(`examples/${example}`)))
  const groups = [manifest.devDependencies, ...manifests.map(({ dependencies }) => dependencies)]
  const version = groups.find((one) => one?.[name] !== undefined)?.[name]
  if (version === undefined) throw new Error(`no manifest names a version of ${name}`)
  return `${name}@${version}`
}

type CompileOptions = { entries: readonly string[]; skipLibCheck: boolean }

async function compile(what: string, project: string, { entries, skipLibCheck }: CompileOptions) {
  const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}'`)
  const used = `export const entries = [${entries.map((_, at) => `entry${at}`).join(', ')}]`
  await writeFile(`${project}/types.ts`, [...imports, used].join('\n'))
  for (const resolution of resolutions) {
    const options = { ...resolution, strict: true, noEmit: true, target: 'es2022', skipLibCheck }
    const compilerOptions = { ...options, types: ['node'], exactOptionalPropertyTypes: true }
    const config = JSON.stringify({ compilerOptions, files: ['types.ts'] })
    await writeFile(`${project}/tsconfig.json`, config)
    await say(`${what} (${resolution.moduleResolution})`, ['tsc', '-p', project], project)
  }
}

/** npm installs from the registry, so a private name here would be a stranger's package. */
async function refusePrivate(dir: string, project: string): Promise<void> {
  const scope = `${project}/node_modules/@surehook`
  const installed = existsSync(scope) ? await readdir(scope) : []
  const known = new Set(packages.map(({ manifest }) => manifest.name))
  const foreign = installed.filter((name) => !known.has(`@surehook/${name}`))
  report(`${dir}: no private dependency`, foreign.length === 0, foreign.join('\n'))
}

/** The page of the packages promises a size. */
async function checkSize(dir: string, name: string, tarball: string): Promise<void> {
  const page = await readFile(`${repoRoot}/docs/reference/packages.md`, 'utf8')
  const row = page.split('\n').find((line) => line.startsWith(`| [\`${name}\`]`)) ?? ''
  const mostKb = Number(/(\d+) kB \|$/.exec(row)?.[1])
  const kb = (await stat(tarball)).size / 1_000
  // Without a row there is no number, and this is false.
  report(`${dir}: ${kb.toFixed(1)} kB`, kb <= mostKb, `docs/reference/packages.md: ${row}`)
}

function install(what: string, project: string, specs: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
  return say(what, ['npm', 'install', ...quiet, ...specs], project)
}

async function say(what: string, args: readonly string[], cwd = repoRoot): Promise<void> {
  const { ok, output } = await runCommand({ args, cwd, timeoutMs: 300_000 })
  report(what, ok, output)
}

function report(what: string, ok: boolean, output: string): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`)
  if (ok) return
  console.log(output.trim())
  process.exitCode = 1
}
