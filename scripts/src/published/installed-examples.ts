import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repoRoot } from '../lib/paths.ts'
import { manifestOf, packPackage } from '../release/pack-package.ts'
import { installQuietly } from './installed-packages.ts'

export type InstalledExamples = AsyncDisposable & {
  /** The folder of an example. It can load its own dependencies only. */
  dirOf(name: string): string
}

const scope = '@surehook/'

/**
 * Copies projects of `examples/` out of the repository, and installs what their manifests name. The
 * packages of this repository are packed as they are published.
 */
export async function installExamples(names: readonly string[]): Promise<InstalledExamples> {
  await using opening = new AsyncDisposableStack()
  const dir = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-examples-')), (path) =>
    rm(path, { recursive: true }),
  )
  const overrides: Record<string, string> = {}
  for (const name of names) {
    await cp(`${repoRoot}/examples/${name}`, join(dir, name), { recursive: true, filter: isSource })
    const { dependencies = {}, devDependencies = {} } = await manifestOf(`examples/${name}`)
    for (const [wanted, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const folder = folderOf(wanted)
      if (folder === null || wanted in overrides) continue
      await requireVersion(folder, { version, example: name })
      overrides[wanted] = `file:${await packPackage(folder, dir)}`
    }
  }
  // As one project, so that their common dependencies are unpacked once.
  const manifest = { name: 'examples', private: true, workspaces: names, overrides }
  await writeFile(join(dir, 'package.json'), JSON.stringify(manifest))
  await installQuietly(dir, ['--install-strategy=linked'])
  const resources = opening.move()
  return {
    dirOf: (name) => join(dir, name),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A checkout in which somebody ran the examples has more files. */
const isSource = (path: string) => !/\/(?:node_modules|\.next|\.env|[^/]+\.sqlite)$/.test(path)

/** The folder of a package of this repository, else null. */
function folderOf(name: string): string | null {
  if (name === 'surehook') return 'packages/cli'
  return name.startsWith(scope) ? `packages/${name.slice(scope.length)}` : null
}

/** An example names the version that its reader installs, which is the one of this commit. */
async function requireVersion(
  folder: string,
  { version, example }: { version: string; example: string },
): Promise<void> {
  const { name, version: current } = await manifestOf(folder)
  if (version === current) return
  throw new Error(`examples/${example} names ${name} ${version}, and this is ${current}`)
}
