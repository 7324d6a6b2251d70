import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** The kernel counts the CPU time of processes in these. */
const ticksPerSecond = 100

/** Seconds of CPU that this process and the processes it started and ended have used. */
export function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + ofEndedProcesses()
}

/** 0 where the kernel has no such file: then only the test process counts. */
function ofEndedProcesses() {
  const file = '/proc/self/stat'
  if (!existsSync(file)) return 0
  const [, fields = ''] = readFileSync(file, 'utf8').split(/\) (?=[A-Z] )/)
  const [user, system] = fields.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/**
 * Notes what a test file has cost, for `cost-reporter.mjs`. Call the result when the file is done.
 */
export function countCost(file) {
  const target = process.env.TEST_COSTS
  if (target === undefined) return () => {}
  const before = cpuSeconds()
  return () => {
    const cpu = cpuSeconds() - before
    appendFileSync(target, `${JSON.stringify({ file, cpuSeconds: cpu })}\n`)
  }
}
