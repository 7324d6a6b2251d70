import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { repoRoot } from '../lib/paths.ts'

const runs = promisify(execFile)

/** The Node of this process, and the others on the path: one for each version from 20. */
export async function nodesOf(path: string): Promise<Map<string, string>> {
  const found = path
    .split(delimiter)
    .map((dir) => join(dir, 'node'))
    .filter((file) => !file.startsWith(repoRoot) && existsSync(file))
  const nodes = new Map([[process.version, process.execPath]])
  for (const file of found) {
    const version = (await runs(file, ['--version'])).stdout.trim()
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20 && !nodes.has(version)) nodes.set(version, file)
  }
  return nodes
}
