import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compilePreloaded } from '../../support/compile-preloaded.ts'

export type SlowDisk = {
  /** For a component whose disk is to be slow. */
  env(component: string): NodeJS.ProcessEnv
  /** From now on each sync of a file is so late; 0 ends it. */
  set(component: string, lateMs: number): void
}

const source = fileURLToPath(new URL('./slow-disk.c', import.meta.url))

/** Compiles what is preloaded into components; null where there is no C compiler, or no Linux. */
export function prepareSlowDisk(dir: string): SlowDisk | null {
  const library = compilePreloaded(source, `${dir}/slow-disk.so`)
  if (library === null) return null
  const fileOf = (component: string) => `${dir}/${component}.late`
  const set = (component: string, lateMs: number) => {
    const late = Buffer.alloc(4)
    late.writeInt32LE(lateMs * 1_000)
    // In place: it is mapped.
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
