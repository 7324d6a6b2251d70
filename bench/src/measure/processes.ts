import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * CPU-seconds so far, resident MiB, MiB including the share of shared memory (PSS), the context
 * switches of each thread and the system calls `read` and `write` so far. Linux counts no others.
 */
export type ProcessUsage = {
  cpuS: number
  rssMiB: number
  pssMiB: number
  switches: ReadonlyMap<number, number>
  readsAndWrites: number
}

/** By component. */
export type Usage = Readonly<Record<string, ProcessUsage>>

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const pageKiB = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' })) / 1024

/**
 * @param runDirs directories with `<component>.pid` files; a component includes its child processes
 * @param others pids by name, for processes without such a file
 */
export function usageOf(
  runDirs: readonly string[],
  others: Readonly<Record<string, number>> = {},
): Usage {
  const table = processTable()
  const usage: Record<string, ProcessUsage> = {}
  // Components in containers have no directory.
  for (const dir of runDirs.filter((path) => existsSync(path))) {
    for (const file of readdirSync(dir).filter((name) => name.endsWith('.pid'))) {
      const pid = Number(readFileSync(`${dir}/${file}`, 'utf8').split('\n', 1)[0])
      usage[file.replace(/\.pid$/, '')] = usageOfTree(pid, table)
    }
  }
  for (const [name, pid] of Object.entries(others)) usage[name] = usageOfTree(pid, table)
  return usage
}

const infrastructure = new Set(['kafka', 'registry', 'postgres', 'redis'])

/** The components that are services of the platform. */
export const servicesOf = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => !infrastructure.has(name)))

export const rssMiBOf = (usage: Usage): number =>
  Object.values(usage).reduce((sum, { rssMiB }) => sum + rssMiB, 0)

export const pssMiBOf = (usage: Usage): number =>
  Object.values(usage).reduce((sum, { pssMiB }) => sum + pssMiB, 0)

/** CPU-seconds of all components between two readings. */
export const cpuBetween = (before: Usage, after: Usage): number =>
  Object.entries(after).reduce((sum, [name, { cpuS }]) => sum + cpuS - (before[name]?.cpuS ?? 0), 0)

/** Context switches of the threads that ran at the second reading. */
export const switchesBetween = (before: ProcessUsage | undefined, after: ProcessUsage): number =>
  [...after.switches].reduce(
    (sum, [thread, count]) => sum + count - (before?.switches.get(thread) ?? 0),
    0,
  )

type Row = { ppid: number; cpuS: number; rssMiB: number }

function usageOfTree(root: number, table: ReadonlyMap<number, Row>): ProcessUsage {
  const sum = { cpuS: 0, rssMiB: 0, pssMiB: 0, readsAndWrites: 0 }
  const switches = new Map<number, number>()
  const mine = new Set([root])
  // A child's pid is normally above its parent's. Two passes also find the relevant ones after a
  // wrap-around.
  for (let pass = 0; pass < 2; pass++) {
    for (const [pid, { ppid }] of table) if (mine.has(ppid)) mine.add(pid)
  }
  for (const pid of mine) {
    const row = table.get(pid)
    sum.cpuS += row?.cpuS ?? 0
    sum.rssMiB += row?.rssMiB ?? 0
    sum.pssMiB += pssMiBOfProcess(pid)
    sum.readsAndWrites += readsAndWritesOf(pid)
    for (const [thread, count] of switchesOf(pid)) switches.set(thread, count)
  }
  return { ...sum, switches }
}

function processTable(): Map<number, Row> {
  const table = new Map<number, Row>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const row = readRow(Number(name))
    if (row !== null) table.set(Number(name), row)
  }
  return table
}

/**
 * Reads /proc/pid/stat (proc(5)). The command may contain spaces, so fields are counted after its
 * closing parenthesis.
 */
function readRow(pid: number): Row | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The process's user and system time, and that of its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    // Subtracted, because memory shared between PostgreSQL's backends would count once for each.
    const shared = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[2])
    return {
      ppid: Number(fields[1]),
      cpuS: ticks / ticksPerSecond,
      rssMiB: Math.max(0, (Number(fields[21]) - shared) * pageKiB) / 1024,
    }
  } catch {
    // The process ended while the table was read.
    return null
  }
}

/** Reads /proc/pid/smaps_rollup (proc(5)). */
function pssMiBOfProcess(pid: number): number {
  const rollup = readOrEmpty(`/proc/${pid}/smaps_rollup`)
  return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0) / 1024
}

/** Voluntary and involuntary context switches by thread (proc(5), /proc/pid/task/tid/status). */
function switchesOf(pid: number): (readonly [number, number])[] {
  const tasks = `/proc/${pid}/task`
  const threads = existsSync(tasks) ? readdirSync(tasks) : []
  return threads.map((thread) => {
    const status = readOrEmpty(`${tasks}/${thread}/status`)
    const counts = Array.from(status.matchAll(/ctxt_switches:\t(\d+)/g), ([, n]) => Number(n))
    return [Number(thread), counts.reduce((sum, count) => sum + count, 0)]
  })
}

/** Reads /proc/pid/io (proc(5)). */
function readsAndWritesOf(pid: number): number {
  const calls = readOrEmpty(`/proc/${pid}/io`).matchAll(/^sysc[rw]: (\d+)$/gm)
  return Array.from(calls, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

/** A process may end while it is read. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
