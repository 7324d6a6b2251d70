import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../lib/run-command.ts'
import { packPackage } from '../release/pack-package.ts'

export type InstalledPackages = AsyncDisposable & {
  /** What `npm publish` would send, in the order of the names. */
  readonly tarballs: readonly string[]
  /** A project outside the repository, with nothing but the packages. */
  readonly dir: string
  /** Writes a file into the project. */
  write(name: string, text: string): Promise<void>
  /**
   * Runs a program of this repository, or of the path, in the project. Resolves with its output.
   */
  run(...args: string[]): Promise<string>
}

/**
 * Packs built packages of `packages/` as they are published, and installs them with `others` into
 * an empty project.
 */
export async function installPackages(
  names: readonly string[],
  others: readonly string[] = [],
): Promise<InstalledPackages> {
  await using opening = new AsyncDisposableStack()
  const root = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-installed-')), (path) =>
    rm(path, { recursive: true }),
  )
  const tarballs: string[] = []
  for (const name of names) tarballs.push(await packPackage(`packages/${name}`, root))
  const dir = join(root, 'project')
  await mkdir(dir)
  const manifest = { name: 'project', private: true, type: 'module' }
  await writeFile(join(dir, 'package.json'), JSON.stringify(manifest))
  await installQuietly(dir, [...tarballs, ...others])
  const resources = opening.move()
  return {
    tarballs,
    dir,
    write: (path, text) => writeFile(join(dir, path), text),
    run: (...args) => run(dir, args),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Runs `npm install` in a folder. The cache of npm makes it cheap. */
export async function installQuietly(dir: string, args: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await run(dir, ['npm', 'install', ...quiet, ...args])
}

async function run(cwd: string, args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args, cwd, timeoutMs: 120_000 })
  if (!ok) throw new Error(`${args.join(' ')} failed:\n${output}`)
  return output
}
