import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compilePreloaded } from '../../support/commands/compile-preloaded.ts'

export type FullDisk = {
  /** The environment of the component whose disk fills. */
  readonly env: NodeJS.ProcessEnv
  setFull(full: boolean): void
}

const source = fileURLToPath(new URL('./full-disk.c', import.meta.url))

/**
 * Prepares a disk below `dataDir` that can be made full. Returns `null` without a C compiler or
 * Linux.
 */
export function prepareFullDisk(dir: string, dataDir: string): FullDisk | null {
  const library = compilePreloaded(source, `${dir}/full-disk.so`)
  if (library === null) return null
  const control = `${dir}/full-disk`
  writeFileSync(control, '0', { mode: 0o644 })
  return {
    env: { LD_PRELOAD: library, FULL_DISK_FILE: control, FULL_DISK_DIR: dataDir },
    // Written in place, because the file is mapped into memory.
    setFull: (full) => writeFileSync(control, full ? '1' : '0', { flag: 'r+' }),
  }
}
