import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../check/run-command.ts'
import { repoRoot } from '../lib/paths.ts'

export type InstalledPackage = AsyncDisposable & {
  /** What `npm publish` would send. */
  readonly tarball: string
  /** A project with nothing but the package. */
  readonly dir: string
  /** Writes a file into the project. */
  write(name: string, text: string): Promise<void>
  /** Runs a program of this repository, or of the path, in the project. Resolves with its output. */
  run(...args: string[]): Promise<string>
}

/** Packs a built package of `packages/` and installs it into an empty project. */
export async function installPackage(name: string): Promise<InstalledPackage> {
  await using opening = new AsyncDisposableStack()
  const root = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-installed-')), (path) =>
    rm(path, { recursive: true }),
  )
  await run(`${repoRoot}/packages/${name}`, ['npm', 'pack', '--pack-destination', root])
  const [file = ''] = await readdir(root)
  const tarball = join(root, file)
  const dir = join(root, 'project')
  await mkdir(dir)
  const manifest = { name: 'project', private: true, type: 'module' }
  await writeFile(join(dir, 'package.json'), JSON.stringify(manifest))
  await run(dir, ['npm', 'install', '--no-audit', '--no-fund', tarball])
  const resources = opening.move()
  return {
    tarball,
    dir,
    write: (path, text) => writeFile(join(dir, path), text),
    run: (...args) => run(dir, args),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function run(cwd: string, args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args, cwd, timeoutMs: 120_000 })
  if (!ok) throw new Error(`${args.join(' ')} failed:\n${output}`)
  return output
}
