import { copyFile, cp, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runCommand } from '../check/run-command.ts'
import { repoRoot } from '../lib/paths.ts'

export type Manifest = {
  name: string
  version: string
  private?: boolean
  exports: Record<string, string | Record<string, unknown>>
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
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

/**
 * Packs a built package into `destination` and returns the file. It packs a copy, because the
 * published manifest differs: it has no `source` condition, which leads to files that are not
 * published, and names no private package.
 */
export async function packPackage(dir: string, destination: string): Promise<string> {
  await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-pack-'))
  const filter = (path: string) => basename(path) !== 'node_modules'
  await cp(`${repoRoot}/${dir}`, temp.path, { recursive: true, filter })
  await copyFile(`${repoRoot}/LICENSE`, `${temp.path}/LICENSE`)
  const published = publishedManifest(await manifestOf(dir))
  await writeFile(`${temp.path}/package.json`, `${JSON.stringify(published, null, 2)}\n`)
  const args = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const { ok, output } = await runCommand({ args, cwd: temp.path, timeoutMs: 60_000 })
  if (!ok) throw new Error(`npm pack of ${dir} failed:\n${output}`)
  const [, file] = /"filename":\s*"([^"]+)"/.exec(output) ?? []
  if (file === undefined) throw new Error(`npm pack of ${dir} names no file:\n${output}`)
  return join(destination, file)
}

function publishedManifest({ scripts: _, devDependencies: __, ...manifest }: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target]
    const { source: ___, ...published } = target
    return [path, published]
  })
  return { ...manifest, exports: Object.fromEntries(exports) as object }
}
