import { existsSync } from 'node:fs'
import { repoRoot } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'

/**
 * Returns the files that exist and differ from `commit`, committed or not, and those that git does
 * not know yet. Paths are relative to the root of the checkout.
 */
export async function changedFiles(commit: string): Promise<string[]> {
  const [differing, unknown] = await Promise.all([
    listed(['diff', '--name-only', '-z', commit]),
    listed(['ls-files', '--others', '--exclude-standard', '-z']),
  ])
  return [...differing, ...unknown].filter((file) => existsSync(`${repoRoot}/${file}`))
}

/** Returns the files of the checkout that exist, also those that git does not know yet. */
export async function listedFiles(): Promise<string[]> {
  const files = await listed(['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  return files.filter((file) => existsSync(`${repoRoot}/${file}`))
}

async function listed(args: readonly string[]): Promise<string[]> {
  const { ok, output } = await runCommand({ args: ['git', ...args] })
  if (!ok) throw new Error(output.trim())
  return output.split('\0').filter((file) => file !== '')
}
