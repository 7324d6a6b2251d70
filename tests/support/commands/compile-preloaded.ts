import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'

/** Compiles a library to preload into components. Returns `null` without a C compiler or Linux. */
export function compilePreloaded(source: string, library: string): string | null {
  if (process.platform !== 'linux') return null
  const made = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  if (made.error !== undefined) return null
  if (made.status !== 0) throw new Error(`${source} does not compile: ${made.stderr}`)
  // Another user may preload it.
  chmodSync(library, 0o755)
  return library
}
