import { mkdir, mkdtempDisposable, rename } from 'node:fs/promises'
import { localDir, repoRoot } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'
import { tarballOf } from './installation.ts'
import { manifestOf, packPackage, publicPackages } from './pack-package.ts'

/** A package, and the path of its archive. */
export type PackedPackage = { name: string; file: string }

/**
 * Builds every package that users install, and packs it as it will be published. The names of the
 * archives hold no version, so that pages can name them.
 */
export async function packForInstalling(): Promise<PackedPackage[]> {
  const build = ['turbo', 'run', 'build', '--output-logs=errors-only', '--filter=./packages/*']
  const { ok, output } = await runCommand({ args: build })
  if (!ok) throw new Error(`the build failed:\n${output}`)
  await mkdir(`${localDir}/packages`, { recursive: true })
  await using temp = await mkdtempDisposable(`${localDir}/packages/packing-`)
  const packed: PackedPackage[] = []
  for (const dir of await publicPackages()) {
    const { name } = await manifestOf(dir)
    const file = `${repoRoot}/${tarballOf(name)}`
    await rename(await packPackage(dir, temp.path), file)
    packed.push({ name, file })
  }
  return packed
}
