import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Returns the command line of a process, or `null` if it does not exist. */
export function commandLineOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    }
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return args === '' ? null : args
  } catch {
    // Both methods fail only if the process is gone.
    return null
  }
}

/** Returns whether `pid` is alive and still the process with `marker` on its command line. */
export function isAlive(pid: number, marker: string): boolean {
  return commandLineOf(pid)?.includes(marker) ?? false
}
