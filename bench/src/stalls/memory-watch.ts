import { usageOf } from '../measure/processes.ts'
import type { Row } from '../report/report.ts'

export type MemoryWatch = Disposable & {
  /** Returns, by component, the MiB at the start, the maximum, and the MiB at the end. */
  rows(names?: readonly string[]): Row[]
}

const everyMs = 1_000

/** Samples the resident memory of each component once a second. */
export function watchMemory(runDirs: readonly string[]): MemoryWatch {
  const first = usageOf(runDirs)
  const most = new Map<string, number>()
  const look = () => {
    for (const [name, { rssMiB }] of Object.entries(usageOf(runDirs))) {
      most.set(name, Math.max(most.get(name) ?? 0, rssMiB))
    }
  }
  look()
  const timer = setInterval(look, everyMs)
  return {
    rows(names = [...most.keys()]) {
      look()
      const last = usageOf(runDirs)
      const mebibytes = (value: number | undefined) => (value ?? 0).toFixed(0)
      return names.map((name) => ({
        measure: `${name}: MiB before, at most, in the end`,
        value: [first[name]?.rssMiB, most.get(name), last[name]?.rssMiB].map(mebibytes).join(', '),
      }))
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
