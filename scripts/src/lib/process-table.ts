import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The command line of a process, or null when there is none. */
export function commandLineOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    }
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return args === '' ? null : args
  } catch {
    // Both ways fail for exactly one reason: the process is gone.
    return null
  }
}

/** Whether `pid` is alive and still the process that was started with `marker` on its command line. */
export function isAlive(pid: number, marker: string): boolean {
  return commandLineOf(pid)?.includes(marker) ?? false
}
