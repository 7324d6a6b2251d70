import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { cacheDir, localDir, repoRoot } from '@surehook/scripts/lib/paths'
import { runCommand } from '@surehook/scripts/lib/run-command'

export type Clone = AsyncDisposable & { readonly dir: string }

/**
 * Makes a checkout with this one's packages, builds and downloads, and with its own state, so that
 * `npm start` can run in it. Its files are hard links.
 */
export async function openClone(): Promise<Clone> {
  await using opening = new AsyncDisposableStack()
  await mkdir(localDir, { recursive: true })
  const dir = opening.adopt(await mkdtemp(`${localDir}/clone-`), (path) =>
    rm(path, { recursive: true }),
  )
  const names = (await readdir(repoRoot)).filter((name) => name !== '.git' && name !== '.local')
  const copy = ['cp', '--archive', '--link', ...names, dir]
  const { ok, output } = await runCommand({ args: copy, cwd: repoRoot })
  if (!ok) throw new Error(`the checkout cannot be copied:\n${output}`)
  // The build asks git what has changed.
  await symlink(`${repoRoot}/.git`, `${dir}/.git`)
  await mkdir(`${dir}/.local`)
  await symlink(cacheDir, `${dir}/.local/cache`)
  const resources = opening.move()
  return { dir, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
