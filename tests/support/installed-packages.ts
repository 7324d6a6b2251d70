import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { packPackage } from '@surehook/scripts/release/pack-package'

const run = promisify(execFile)

export type Installed = AsyncDisposable & {
  readonly dir: string
  /** Writes the first example of a package's README into a file, changed, and returns its path. */
  example(name: string, change?: (code: string) => string): Promise<string>
}

/** Packs packages, and installs them with `others` into an empty project outside the repository. */
export async function installPackages(
  names: readonly string[],
  others: readonly string[] = [],
): Promise<Installed> {
  await using opening = new AsyncDisposableStack()
  const dir = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-installed-')), (path) =>
    rm(path, { recursive: true }),
  )
  await writeFile(`${dir}/package.json`, JSON.stringify({ private: true, type: 'module' }))
  const tarballs: string[] = []
  for (const name of names) tarballs.push(await packPackage(`packages/${name}`, dir))
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs, ...others]
  await run('npm', args, { cwd: dir })
  const resources = opening.move()
  return {
    dir,
    async example(name, change = (code) => code) {
      const readme = await readFile(`${repoRoot}/packages/${name}/README.md`, 'utf8')
      const [, language = '', code] = /```(js|ts)\n(.*?)```/s.exec(readme) ?? []
      if (code === undefined) throw new Error(`The README of ${name} has no example`)
      const file = `${dir}/${name}.${language}`
      await writeFile(file, change(code))
      return file
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
