import {
  copyFile,
  cp,
  glob,
  mkdtempDisposable,
  readdir,
  readFile,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { repoRoot } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'
import { absoluteLinks } from './absolute-links.ts'

export type Manifest = {
  name: string
  version: string
  repository?: { url: string }
  private?: boolean
  bin?: Record<string, string>
  engines?: Record<string, string>
  exports: Record<string, string | Record<string, unknown>>
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  /** `bin` and `exports` replace those of the repository, as pnpm does it. */
  publishConfig?: { bin?: Record<string, string>; exports?: Manifest['exports'] }
}

/** Folders such as `packages/receiver`, of the packages that are published. */
export async function publicPackages(): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(`${repoRoot}/packages`, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))) {
    const dir = `packages/${entry.name}`
    if (entry.isDirectory() && (await manifestOf(dir)).private !== true) found.push(dir)
  }
  return found
}

export async function manifestOf(dir: string): Promise<Manifest> {
  return JSON.parse(await readFile(`${repoRoot}/${dir}/package.json`, 'utf8')) as Manifest
}

/** One path that users import, such as `./express`, and its declarations. */
export type Entry = { path: string; types: string }

/** What users import from a package: nothing from one that is only a command. */
export function entriesOf(manifest: Manifest): Entry[] {
  const { exports } = manifest.publishConfig ?? {}
  return Object.entries(exports ?? manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ path, types: String(target['types']) }],
  )
}

/** The manifests of all packages of this repository, by their names. */
export async function workspaces(): Promise<Map<string, Manifest>> {
  const { workspaces: patterns } = (await manifestOf('.')) as Manifest & { workspaces: string[] }
  const manifests: Manifest[] = []
  for await (const file of glob(patterns.map(withManifest), { cwd: repoRoot })) {
    manifests.push(await manifestOf(dirname(file)))
  }
  return new Map(manifests.map((manifest) => [manifest.name, manifest]))
}

const withManifest = (pattern: string) => `${pattern}/package.json`

/**
 * Packs a built package into `destination` and returns the file. It packs a copy, because the
 * published manifest and the links of the README differ: see `publishedManifest`, `absoluteLinks`.
 */
export async function packPackage(dir: string, destination: string): Promise<string> {
  await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-pack-'))
  const filter = (path: string) => basename(path) !== 'node_modules'
  await cp(`${repoRoot}/${dir}`, temp.path, { recursive: true, filter })
  await copyFile(`${repoRoot}/LICENSE`, `${temp.path}/LICENSE`)
  const published = publishedManifest(await manifestOf(dir), await workspaces())
  await writeFile(`${temp.path}/package.json`, `${JSON.stringify(published, null, 2)}\n`)
  const { repository, version } = published
  if (repository === undefined) throw new Error(`${dir}/package.json names no repository`)
  const readme = await readFile(`${repoRoot}/${dir}/README.md`, 'utf8')
  const place = { dir, repository: repository.url, tag: `v${version}` }
  await writeFile(`${temp.path}/README.md`, absoluteLinks(readme, place))
  const args = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const { ok, output } = await runCommand({ args, cwd: temp.path, timeoutMs: 60_000 })
  if (!ok) throw new Error(`npm pack of ${dir} failed:\n${output}`)
  const [, file] = /"filename":\s*"([^"]+)"/.exec(output) ?? []
  if (file === undefined) throw new Error(`npm pack of ${dir} names no file:\n${output}`)
  return join(destination, file)
}

/**
 * Returns the manifest that users get. It has no `source` condition, which leads to files that are
 * not published. It names no private package, because bundles contain those, and it names other
 * packages of this repository with their exact version. The bundle of a command contains these as
 * well, so its manifest names none.
 */
export function publishedManifest(
  manifest: Manifest,
  known: ReadonlyMap<string, Pick<Manifest, 'private' | 'version'>>,
): Manifest {
  const { scripts: _, devDependencies: __, dependencies = {}, ...rest } = manifest
  const { bin = rest.bin, exports = rest.exports, ...publishConfig } = rest.publishConfig ?? {}
  const installed = Object.entries(dependencies).flatMap(([name, range]) => {
    const own = known.get(name)
    if (own?.private === true || (own && bin !== undefined)) return []
    return [[name, own?.version ?? range]]
  })
  return {
    ...rest,
    ...(bin !== undefined && { bin }),
    exports: withoutSource(exports),
    ...(installed.length > 0 && {
      dependencies: Object.fromEntries(installed) as Record<string, string>,
    }),
    publishConfig,
  }
}

function withoutSource(exports: Manifest['exports']): Manifest['exports'] {
  const published = Object.entries(exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target]
    const { source: _, ...others } = target
    return [path, others]
  })
  return Object.fromEntries(published) as Manifest['exports']
}
