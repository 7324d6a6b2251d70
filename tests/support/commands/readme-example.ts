import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repoRoot } from '@surehook/scripts/lib/paths'
import type { InstalledPackages } from '@surehook/scripts/published/installed-packages'

/**
 * Writes the first example of a package's README into a file of the project, changed, and returns
 * its path.
 */
export async function writeExample(
  installed: Pick<InstalledPackages, 'dir' | 'write'>,
  name: string,
  change = (code: string) => code,
): Promise<string> {
  const readme = await readFile(`${repoRoot}/packages/${name}/README.md`, 'utf8')
  const [, language = '', code] = /```(js|ts)\n(.*?)```/s.exec(readme) ?? []
  if (code === undefined) throw new Error(`The README of ${name} has no example`)
  await installed.write(`${name}.${language}`, change(code))
  return join(installed.dir, `${name}.${language}`)
}

/**
 * Like `writeExample`, for an example in TypeScript. Compiles it strictly, and returns the path of
 * the result.
 */
export async function compileExample(
  installed: Pick<InstalledPackages, 'dir' | 'write' | 'run'>,
  name: string,
  change?: (code: string) => string,
): Promise<string> {
  const file = await writeExample(installed, name, change)
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'node16',
    strict: true,
    types: ['node'],
    typeRoots: [`${repoRoot}/node_modules/@types`],
  }
  const config = { compilerOptions, files: [`${name}.ts`] }
  await installed.write('tsconfig.json', JSON.stringify(config))
  await installed.run('tsc', '-p', '.')
  return file.replace(/ts$/, 'js')
}
