import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { relative } from 'node:path'

const root = new URL('../../..', import.meta.url).pathname

/**
 * Writes what each level has cost to `<TEST_COSTS_DIR>/<level>.json` (default: `.local/test-costs`),
 * and prints its slowest files. The CPU time of a file is that of its process and of the processes
 * that it started; that of a level is the busy time of the machine, with brokers and databases.
 */
export default class CostReporter {
  #dir = process.env.TEST_COSTS_DIR ?? `${root}/.local/test-costs`
  #spent = `${this.#dir}/${process.pid}.jsonl`
  #startedAt
  #busyBefore
  #files = new Map()

  onRunStart() {
    mkdirSync(this.#dir, { recursive: true })
    writeFileSync(this.#spent, '')
    // Workers inherit it.
    process.env.TEST_COSTS = this.#spent
    this.#startedAt = performance.now()
    this.#busyBefore = busySeconds()
  }

  onTestResult({ context, path }, { numPassingTests, numFailingTests, perfStats }) {
    const { name: level } = context.config.displayName
    const tests = numPassingTests + numFailingTests
    const wallSeconds = (perfStats.end - perfStats.start) / 1e3
    this.#files.set(path, { level, file: relative(root, path), tests, wallSeconds })
  }

  onRunComplete() {
    const wallSeconds = (performance.now() - this.#startedAt) / 1e3
    const machineCpuSeconds = busySeconds() - this.#busyBefore
    for (const line of readFileSync(this.#spent, 'utf8').split('\n').slice(0, -1)) {
      const { file, cpuSeconds } = JSON.parse(line)
      const entry = this.#files.get(file)
      if (entry !== undefined) entry.cpuSeconds = cpuSeconds
    }
    rmSync(this.#spent)
    const byLevel = Object.groupBy(this.#files.values(), ({ level }) => level)
    for (const [level, files] of Object.entries(byLevel)) {
      const cost = costOf(level, files, { wallSeconds, machineCpuSeconds })
      writeFileSync(`${this.#dir}/${level}.json`, `${JSON.stringify(cost, null, 2)}\n`)
      if (files.length > 1) process.stdout.write(`\n${costTable(cost)}\n`)
    }
  }
}

function costOf(level, files, { wallSeconds, machineCpuSeconds }) {
  const rows = files
    .map(({ file, tests, wallSeconds: wall, cpuSeconds = 0 }) => ({
      file,
      tests,
      wallSeconds: rounded(wall),
      cpuSeconds: rounded(cpuSeconds),
    }))
    .toSorted((a, b) => b.wallSeconds - a.wallSeconds)
  return {
    level,
    tests: sumOf(rows, 'tests'),
    wallSeconds: rounded(wallSeconds),
    cpuSeconds: rounded(sumOf(rows, 'cpuSeconds')),
    machineCpuSeconds: rounded(machineCpuSeconds),
    files: rows,
  }
}

/** The level and its slowest files, as lines of text. */
export function costTable({ level, tests, wallSeconds, cpuSeconds, machineCpuSeconds, files }) {
  const line = (wall, cpu, what) => `${seconds(wall)}${seconds(cpu)}  ${what}`
  return [
    `  wall s   CPU s  ${level}: ${tests} tests in ${files.length} files`,
    line(wallSeconds, cpuSeconds, `in all; the whole machine: ${machineCpuSeconds} s`),
    ...files
      .slice(0, 20)
      .map((row) => line(row.wallSeconds, row.cpuSeconds, `${row.file} (${row.tests})`)),
  ].join('\n')
}

const seconds = (value) => value.toFixed(1).padStart(8)
const rounded = (value) => Math.round(value * 10) / 10
const sumOf = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0)

/** Seconds of CPU that every process of this machine has used. */
function busySeconds() {
  const all = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq)
  return all.reduce((sum, ms) => sum + ms, 0) / 1e3
}
