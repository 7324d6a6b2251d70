import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'

/** Compiles what is preloaded into components; null where there is no C compiler, or no Linux. */
export function compilePreloaded(source: string, library: string): string | null {
  if (process.platform !== 'linux') return null
  const made = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  if (made.error !== undefined) return null
  if (made.status !== 0) throw new Error(`${source} does not compile: ${made.stderr}`)
  // Whoever it is preloaded by may be somebody else.
  chmodSync(library, 0o755)
  return library
}
