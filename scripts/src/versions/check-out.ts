import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { cacheDir, localDir, repoRoot } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'

/** A checkout whose services can be built and started. */
export type Version = { name: string; dir: string }

/** Checks out the commit into a folder below `.local`, which is kept for later runs. */
export async function checkOut(commit: string): Promise<Version> {
  const sha = git('rev-parse', '--verify', `${commit}^{commit}`)
  const dir = `${localDir}/compare/${sha}`
  if (!existsSync(dir)) git('worktree', 'add', '--detach', dir, sha)
  await mkdir(`${dir}/.local`, { recursive: true })
  // Both checkouts share the downloads of Kafka and the other components. The folder is made first:
  // a link that leads nowhere cannot become a folder.
  await mkdir(cacheDir, { recursive: true })
  if (!existsSync(`${dir}/.local/cache`)) await symlink(cacheDir, `${dir}/.local/cache`)
  return { name: git('log', '-1', '--format=%h %s', sha), dir }
}

/** Installs the packages of the checkout's lock file, if none are installed, and builds it. */
export async function build({ name, dir }: Version): Promise<void> {
  const install = ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  const isInstalled = existsSync(`${dir}/node_modules/.package-lock.json`)
  const steps = [...(isInstalled ? [] : [install]), ['npm', 'run', '-s', 'build']]
  for (const args of steps) {
    const { ok, output } = await runCommand({ args, cwd: dir })
    if (!ok) throw new Error(`${args.join(' ')} failed for ${name}:\n${output}`)
  }
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: repoRoot, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`)
  return stdout.trim()
}
