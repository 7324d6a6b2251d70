import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repoRoot } from '../lib/paths.ts'
import { type Manifest, manifestOf, packPackage, publicPackages } from '../release/pack-package.ts'
import { installQuietly } from './installed-packages.ts'

export type InstalledExamples = AsyncDisposable & {
  /** The folder of an example. It can load its own dependencies only. */
  dirOf(name: string): string
}

/** A published package of this repository, and its folder. */
type PublishedExample = { dir: string; manifest: Manifest }

/**
 * Copies projects of `examples/` out of the repository, and installs what their manifests name. The
 * packages of this repository are packed as they are published.
 */
export async function installExamples(names: readonly string[]): Promise<InstalledExamples> {
  await using opening = new AsyncDisposableStack()
  const root = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-examples-')), (path) =>
    rm(path, { recursive: true }),
  )
  const published = await publishedPackages()
  const wanted = new Set<PublishedExample>()
  for (const name of names) {
    const from = `examples/${name}`
    await cp(`${repoRoot}/${from}`, join(root, name), { recursive: true, filter: isSource })
    for (const one of namedBy(await manifestOf(from), published)) wanted.add(one)
  }
  const overrides: Record<string, string> = {}
  for (const { dir, manifest } of wanted) {
    overrides[manifest.name] = `file:${await packPackage(dir, root)}`
    // The loop also visits what it adds.
    for (const one of namedBy(manifest, published)) wanted.add(one)
  }
  // As one project, so that their common dependencies are unpacked once.
  const manifest = { name: 'examples', private: true, workspaces: names, overrides }
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest))
  await installQuietly(root, ['--install-strategy=linked'])
  const resources = opening.move()
  return {
    dirOf: (name) => join(root, name),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A checkout in which somebody ran the examples has more files. */
const isSource = (path: string) => !/\/(?:node_modules|\.next|\.env|[^/]+\.sqlite)$/.test(path)

async function publishedPackages(): Promise<PublishedExample[]> {
  const dirs = await publicPackages()
  return Promise.all(dirs.map(async (dir) => ({ dir, manifest: await manifestOf(dir) })))
}

/**
 * Returns the packages that a manifest installs. Throws if it names a version other than the one of
 * this commit, which is what readers of an example install.
 */
function namedBy(manifest: Manifest, published: readonly PublishedExample[]): PublishedExample[] {
  const { name, dependencies = {}, devDependencies = {}, private: isExample = false } = manifest
  const named = isExample ? { ...dependencies, ...devDependencies } : dependencies
  const found = published.filter((one) => one.manifest.name in named)
  for (const {
    manifest: { name: wanted, version },
  } of found) {
    if (isExample && named[wanted] !== version) {
      throw new Error(`${name} names ${wanted} ${named[wanted]}, and this is ${version}`)
    }
  }
  return found
}
