import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { localDir } from '../lib/paths.ts'

const run = promisify(execFile)
const installWithinMs = 300_000

/**
 * Returns the interpreter of a virtual environment with exactly the packages that the requirements
 * file pins by version and hash. It is made once per content of the file and kept in
 * `.local/python`.
 */
export async function pythonWith(requirementsFile: string): Promise<string> {
  const content = await readFile(requirementsFile)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const dir = `${localDir}/python/${basename(requirementsFile, '.txt')}-${hash}`
  const python = `${dir}/bin/python`
  const complete = `${dir}/complete`
  if (existsSync(complete)) return python
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  const timeout = installWithinMs
  await run('python3', ['-m', 'venv', dir], { timeout })
  const install = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps']
  await run(python, [...install, '-r', requirementsFile], { timeout })
  await writeFile(complete, '')
  return python
}
