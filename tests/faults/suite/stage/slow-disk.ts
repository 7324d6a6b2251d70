import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compilePreloaded } from '../../../support/commands/compile-preloaded.ts'

export type SlowDisk = {
  /** The environment of a component whose disk will be slow. */
  env(component: string): NodeJS.ProcessEnv
  /** Delays each sync of a file from now on; 0 ends it. */
  set(component: string, lateMs: number): void
}

const source = fileURLToPath(new URL('./slow-disk.c', import.meta.url))

/** Compiles the preloaded library. Returns `null` without a C compiler or Linux. */
export function prepareSlowDisk(dir: string): SlowDisk | null {
  const library = compilePreloaded(source, `${dir}/slow-disk.so`)
  if (library === null) return null
  const fileOf = (component: string) => `${dir}/${component}.late`
  const set = (component: string, lateMs: number) => {
    const late = Buffer.alloc(4)
    late.writeInt32LE(lateMs * 1_000)
    // Written in place, because the file is mapped into memory.
    writeFileSync(fileOf(component), late, { mode: 0o644, flag: 'r+' })
  }
  return {
    env(component) {
      writeFileSync(fileOf(component), Buffer.alloc(4), { mode: 0o644 })
      return { LD_PRELOAD: library, SLOW_DISK_FILE: fileOf(component) }
    },
    set,
  }
}
